//go:build unix

package remote_test

import (
	"fmt"
	tcp "net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/workspace"
	"mem/workspace/remote"
)

// TestOverSSH syncs two memories over a real server of ssh on this machine, if there is one.
func TestOverSSH(t *testing.T) {
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = "/usr/sbin/sshd" // it wants its whole path
	}
	n := net{t, t.TempDir()}
	in := func(name string) string { return filepath.Join(n.folder, name) }
	for _, key := range []string{"host", "ada"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", in(key)).CombinedOutput(); err != nil {
			t.Skipf("no keys: %v: %s", err, out)
		}
	}
	port := freePort(t)
	server := exec.Command(sshd, "-D", "-e", "-f", os.DevNull, "-h", in("host"), "-oListenAddress=127.0.0.1", fmt.Sprint("-oPort=", port),
		"-oPidFile=none", "-oAuthorizedKeysFile="+in("ada.pub"), "-oStrictModes=no", "-oUsePAM=no", "-oPasswordAuthentication=no")
	if err := server.Start(); err != nil {
		t.Skip("no server: ", err)
	}
	defer func() { _, _ = server.Process.Kill(), server.Wait() }()
	ssh := fmt.Sprintf("ssh -F none -i %s -oIdentitiesOnly=yes -oUserKnownHostsFile=%s", in("ada"), in("known"))
	address := fmt.Sprintf("ssh://127.0.0.1:%d%s", port, in("hub.git"))
	if !answers(ssh, port) {
		t.Skip("the server does not let this user in")
	}
	envtest.NoError(t, os.Mkdir(in("hub.git"), 0o700))
	n.git("hub.git", "init", "-q", "--bare", "-b", "main")
	n.learn("a", "Use pnpm")
	n.learn("b", "Read the log")
	sync := func(name, ssh string) error {
		return n.in(name, func(w *workspace.Workspace) error {
			w.Environ = append(w.Environ, "GIT_SSH_COMMAND="+ssh)
			_, err := remote.Sync(n.Context(), w, remote.Options{Remote: address, Own: true})
			return err
		})
	}
	if err := sync("a", ssh+".not"); err == nil || !strings.Contains(err.Error(), "Host key verification failed") {
		t.Errorf("a host whose key is not known: %v", err)
	}
	for _, name := range []string{"a", "b", "a"} {
		err := sync(name, ssh)
		envtest.StopIf(t, err != nil, "%v %v", name, err)
	}
	err = n.checkSame("a", "b")
	envtest.FailIf(t, err != nil, "%v", err)
	err = n.checkHas("a", "Use pnpm", "Read the log")
	envtest.FailIf(t, err != nil, "%v", err)
}

// freePort returns a port that no one listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := tcp.Listen("tcp", "127.0.0.1:0")
	envtest.NoError(t, err)
	defer l.Close()
	return l.Addr().(*tcp.TCPAddr).Port
}

// answers waits until a server lets the person in, and gets to know its key.
func answers(ssh string, port int) bool {
	for range 1000 {
		if exec.Command("sh", "-c", fmt.Sprintf("%s -oBatchMode=yes -oStrictHostKeyChecking=accept-new -p %d 127.0.0.1 true", ssh, port)).Run() == nil {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}
