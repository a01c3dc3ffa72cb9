package secret

import "mem/guard/chars"

// value follows a name in the contexts below and leads to what it stands for;
// assigned does so after the name of a vendor, which alone is too little:
// FASTLY_API_TOKEN=, "fastlyKey": ", fastly token is.
const (
	value    = `["'\]]{0,2}(?:\s{0,3}(?:=>|:=|=|:)|\sis\s|\s)\s{0,3}["']?`
	assigned = `[\w. -]{0,20}(?i:key|token|secret|auth|password)[\w-]{0,8}` + value
)

// hex and opaque values that a context may have.
const (
	hex32    = `([0-9a-fA-F]{32})\b`
	hex40    = `([0-9a-fA-F]{40})\b`
	uuidOnly = `(` + uuid + `)\b`
)

// contexts are known by what stands before them. The general ones come last.
var contexts = []family{
	{name: "aws-secret-key", keys: "secret aws_secret", expr: `(?i:(?:aws.?)?secret.?(?:access.?)?key|aws_secret)` + value + `([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+])`},
	{name: "aws-session-token", keys: "session_token sessiontoken security_token securitytoken", expr: `(?i:session_?token|security_?token)` + value + `([A-Za-z0-9/+=]{100,})`},
	{name: "gcp-private-key-id", keys: "private_key_id", expr: `(?i:private_key_id)` + value + hex40},
	{name: "azure-key", keys: "accountkey sharedaccesskey azure ocp-apim", expr: `(?i:accountkey` + value + `|sharedaccesskey` + value + `|azure` + assigned + `|ocp-apim` + assigned + `)([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==|[A-Za-z0-9]{84}|[a-z2-7]{52}|[0-9a-f]{32})(?:$|[^A-Za-z0-9+/=])`},
	{name: "azure-sas", keys: "sig=", expr: `(?i:sig)=([A-Za-z0-9%+/_-]{40,}=?)`, only: chars.HasDigit},
	{name: "presigned-url", keys: "x-amz-signature= x-goog-signature= x-amz-security-token=", expr: `(?i:x-(?:amz|goog)-(?:signature|security-token))=([\w%+/=-]{40,})`},
	{name: "heroku-key", keys: "heroku", expr: `(?i:heroku)` + assigned + uuidOnly},
	{name: "cloudflare-key", keys: "cloudflare cf_api cf-api x-auth-key", expr: `(?i:x-auth-key` + value + `|(?:cloudflare|cf.api)` + assigned + `)([\w-]{40}|[0-9a-f]{37})(?:$|[^\w-])`, only: chars.HasDigit},
	{name: "datadog-key", keys: "datadog dd_ap dd-ap", expr: `(?i:datadog|dd[_-](?:api|app))` + assigned + `([0-9a-f]{40}|[0-9a-f]{32})\b`},
	{name: "twilio-key", keys: "twilio", expr: `(?i:twilio)` + assigned + hex32},
	{name: "mailgun-key", keys: "mailgun", expr: `(?i:mailgun)` + assigned + `([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b`},
	{name: "discord-token", keys: "discord", expr: `(?i:discord)` + assigned + `([\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,})`},
	{name: "okta-token", keys: "okta ssws", expr: `(?i:ssws` + value + `|okta` + assigned + `)(00[\w-]{40})(?:$|[^\w-])`},
	{name: "fastly-token", keys: "fastly", expr: `(?i:fastly)` + assigned + `([\w-]{32})(?:$|[^\w-])`, only: chars.HasDigit},
	{name: "vercel-token", keys: "vercel", expr: `(?i:vercel)` + assigned + `([A-Za-z0-9]{24})(?:$|[^\w-])`, only: chars.IsRandom},
	{name: "netlify-token", keys: "netlify", expr: `(?i:netlify)` + assigned + `([\w-]{40,46})(?:$|[^\w-])`, only: chars.IsRandom},
	{name: "railway-token", keys: "railway", expr: `(?i:railway)` + assigned + uuidOnly},
	{name: "snyk-token", keys: "snyk", expr: `(?i:snyk)` + assigned + uuidOnly},
	{name: "codecov-token", keys: "codecov", expr: `(?i:codecov)` + assigned + uuidOnly},
	{name: "algolia-key", keys: "algolia", expr: `(?i:algolia)` + assigned + hex32},
	{name: "wandb-key", keys: "wandb", expr: `(?i:wandb)` + assigned + hex40},
	{name: "mistral-key", keys: "mistral cohere together", expr: `(?i:mistral|cohere|together)` + assigned + `([A-Za-z0-9]{64}|[A-Za-z0-9]{40}|[A-Za-z0-9]{32})(?:$|[^\w-])`, only: chars.IsRandom},
	{name: "vault-token", keys: "vault_token vault-token", expr: `(?i:vault.token)` + value + `(s\.[A-Za-z0-9]{24})\b`},
	{name: "ngrok-token", keys: "authtoken", expr: `(?i:authtoken)` + value + `(\w{40,60})\b`, only: chars.IsRandom},
	{name: "django-key", keys: "secret_key", expr: `(?i:secret_key)["']?\s{0,3}[:=]\s{0,3}["']?([a-z0-9!@#$%^&*(=+)_-]{50})(?:$|[^A-Za-z0-9])`, only: chars.IsRandom},
	{name: "terraform-password", keys: `variable`, expr: `variable\s{1,8}"[\w-]{0,60}(?i:password|secret|token|key)[\w-]{0,20}"\s{0,8}\{[^}]{0,200}?default\s{0,8}=\s{0,8}"([^"\n$\[]{6,200})"`, only: chars.HasDigit},
	{name: "docker-auth", keys: `"auth"`, expr: `"auth"\s{0,3}:\s{0,3}"([A-Za-z0-9+/]{12,}={0,2})"`},
	{name: "kubeconfig-key", keys: "client-key-data", expr: `(?i:client-key-data)["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9+/=]{16,})`},
	{name: "netrc-password", keys: "machine", expr: `machine\s{1,8}\S{1,80}\s{1,8}login\s{1,8}\S{1,80}\s{1,8}password\s{1,8}([^\s\[]\S{0,200})`, only: isLiteral},
	{name: "netrc-password", keys: "login", expr: `login\s{1,8}\S{1,80}\s{1,8}password\s{1,8}([^\s\[]\S{3,200})`, only: chars.HasDigit},
	{name: "pgpass", keys: ":5432: :6432:", expr: `:[56]432:[^:\s]{1,64}:[^:\s]{1,64}:([^\s:\["'/]{3,200})`},
	{name: "putty-key", keys: "private-lines:", expr: `(?i:private-lines:)\s{0,3}\d{1,3}\s{1,3}((?:[A-Za-z0-9+/=]{8,}\s{0,6})+)`},
	{name: "password-hash", keys: "$1$ $5$ $6$ $y$ $2a$ $2b$ $2y$ $apr1$ $argon2 $scrypt$ $pbkdf2", expr: `\$(?:1|5|6|y|2[aby]|apr1|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,10})\$[./A-Za-z0-9$=,+-]{20,}`},
	{name: "authorization", keys: "authorization", look: findAuthorization},
	{name: "bearer", keys: "bearer", expr: `(?i:bearer)[ +]{1,3}["']?([\w.~+/-]{12,}=*)`, only: chars.IsRandom},
	{name: "cookie", keys: "cookie", expr: `(?i:cookie)["']?:\s{0,3}["']?([\w.%-]{1,64}=[^\s"';]{4,}(?:;[^\r\n"']*)?)`},
	{name: "url-password", keys: "://", look: findURLPassword},
	{name: "command-password", keys: "mysql mariadb", expr: `(?i:mysql|mariadb)[\w-]{0,10}(?:\s[^\n|;&]{1,200}?)?\s{1,3}-p([^\s"';|&\[$]{4,80})`},
	{name: "command-password", keys: "sshpass redis-cli", expr: `(?:sshpass|redis-cli)(?:\s[^\n|;&]{1,200}?)?\s{1,3}-[pa]\s{0,3}["']?([^\s"';|&\[$-][^\s"';|&]{2,80})`},
	{name: "command-password", keys: "docker podman helm", expr: `(?:docker|podman|helm)(?:\s{1,3}\w{1,16}){0,2}\s{1,3}login(?:\s[^\n|;&]{1,200}?)?\s{1,3}-p\s{1,3}["']?([^\s"';|&\[$][^\s"';|&]{3,200})`},
	{name: "command-password", keys: "curl wget", expr: `(?:curl|wget)(?:\s[^\n|;&]{1,200}?)?\s{1,3}(?:-u|--user)[ =]?["']?[^\s:"'|;&]{1,64}:([^\s"'|;&\[$]{3,200})`},

	{name: "password", keys: "pass pwd", look: findPassword},
	{name: "secret", keys: "secret credential", look: findToken},
	{name: "api-key", keys: "key", look: findToken},
	{name: "token", keys: "token _auth _pat", look: findToken},
}
