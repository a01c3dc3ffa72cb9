package guard

import (
	"testing"

	"mem/envtest"
)

func TestSecretive(t *testing.T) {
	for _, file := range []string{
		".env", "/app/.env", ".env.local", "config/.env.production", "prod.env", ".envrc", "server.pem", "certs/tls.key", "/root/.ssh/id_rsa",
		"id_ed25519", "~/.ssh/deploy", "~/.aws/credentials", "~/.aws/config", "credentials.json", ".netrc", "C:\\Users\\bob\\_netrc", ".npmrc",
		".pypirc", "kubeconfig", "kubeconfig.yaml", "~/.kube/config", "~/.docker/config.json", ".git-credentials", "secrets.yaml", "terraform.tfstate",
		"prod.tfvars", "store.jks", "my-service-account.json", "client_secret_123.json", "/proc/self/environ", "/etc/shadow", "config/master.key",
		"~/.config/gh/hosts.yml", "~/.gnupg/private-keys-v1.d/x", ".pgpass", "/run/secrets/db", "'.env'", ".ENV",
	} {
		envtest.FailIf(t, !HoldsSecrets(file), "Secretive(%q) = false, want true", file)
	}
	for _, file := range []string{
		".env.example", ".env.sample", "id_rsa.pub", "~/.ssh/known_hosts", "~/.ssh/config", "main.go", "env.go", "secrets.go", "secret.py",
		"keys/keys.ts", "docs/secrets.md", "package.json", "config.json", "docker-compose.yml", "environment.ts", "keyboard.c", "go.sum",
		"package-lock.json", "README.md", "tokens.go", "src/auth/password.rb", "envoy.yaml", "", ".", "/",
	} {
		envtest.FailIf(t, HoldsSecrets(file), "Secretive(%q) = true, want false", file)
	}
}

func TestSecretiveCommand(t *testing.T) {
	for _, cmd := range []string{
		"env", "env | sort", "printenv", "printenv HOME", "sudo env", "set", "export -p", "export", "declare -x", "env 2>/dev/null", "FOO=1 env",
		"cat .env", "cat ./config/.env.local", "cd app && cat .env", "bash -c 'cat .env'", "sh -c \"printenv\"", "ssh host 'cat ~/.aws/credentials'",
		"cat ~/.ssh/id_rsa", "head -5 server.pem", "grep -r PASSWORD .env", "cat deploy_key", "cat /etc/app/api-key.txt", "tail tokens.txt",
		"cat < .env", "cat <.env", "git show HEAD:.env", "git diff -- .env", "sed -n 1,5p .npmrc", "jq . credentials.json", "base64 kubeconfig",
		"docker exec web printenv || docker exec web -- env", "kubectl exec pod -- env", "xargs cat < .env", "find . -name .env -exec cat .env {} ;",
		"aws secretsmanager get-secret-value --secret-id x", "gh auth token", "kubectl get secret db -o yaml", "vault kv get secret/db",
		"gcloud auth print-access-token", "op read op://x/y", "echo $GITHUB_TOKEN", "echo \"$DB_PASSWORD\"", "terraform output -json", "aws configure get aws_secret_access_key",
		"while read l; do cat .env; done", "cat \\\n .env", "true; printenv", "$(cat .env)", "kubectl config view --raw", "Get-Content .env", "gci env:",
	} {
		envtest.FailIf(t, !PrintsSecrets(cmd), "SecretiveCommand(%q) = false, want true", cmd)
	}
	for _, cmd := range []string{
		"", "ls -la", "ls .env", "git add .env.example", "rm .env", "cat main.go", "cat keys.go", "cat src/auth/token.ts", "go env GOPATH", "env FOO=1 go test ./...",
		"set -euo pipefail", "export FOO=1", "npm run env", "grep -rn token .", "grep -rn 'api_key' src/", "rg password", "git log --oneline",
		"cat package.json", "cat README.md", "echo hello", "echo $HOME", "ssh -i key.pem host ls", "cat .env.example", "cat id_rsa.pub", "chmod 600 id_rsa",
		"test -f .env", "kubectl get pods", "docker ps", "terraform plan", "sort keys_test.go", "make test", "go test ./guard", "cat monkey.txt", "python env.py",
		"git status", "aws s3 ls", "gh pr list", "openssl x509 -in server.pem -noout -dates",
	} {
		envtest.FailIf(t, PrintsSecrets(cmd), "SecretiveCommand(%q) = true, want false", cmd)
	}
}
