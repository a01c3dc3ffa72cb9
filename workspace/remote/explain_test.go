package remote

import (
	"errors"
	"testing"

	"mem/envtest"
)

// TestExplain shows what git and the remote said, without what does not tell why, and what kind of error it is.
func TestExplain(t *testing.T) {
	failed := errors.New("exit status 128")
	tests := map[string]struct {
		said, want string
		is         error
	}{
		"a key that ssh does not know": {
			"No ED25519 host key is known for [host]:22\nHost key verification failed.\r\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
			"No ED25519 host key is known for [host]:22; Host key verification failed", errNoAccess,
		},
		"a person that ssh does not know": {
			"Warning: Permanently added 'host' to the list of known hosts.\ngit@host: Permission denied (publickey).\nConnection closed by host\nfatal: Could not read from remote repository.\n",
			"git@host: Permission denied (publickey).; Connection closed by host", errNoAccess,
		},
		"no more than that":      {"fatal: Could not read from remote repository.\n", "Could not read from remote repository", failed},
		"a lock that stays":      {"fatal: Unable to create '/m/.git/packed-refs.lock': File exists.\n\nAnother git process seems to be running in this repository, e.g.\nan editor\n", "Unable to create '/m/.git/packed-refs.lock': File exists", errLocked},
		"half a work tree":       {"fatal: bad object worktrees/wt/HEAD\nerror: /r.git did not send all necessary objects\n", "bad object worktrees/wt/HEAD; /r.git did not send all necessary objects", errHalf},
		"the line of git itself": {"warning: slow\nfatal: bad object\n", "bad object", failed},
		"ids of another kind":    {"fatal: the receiving end does not support this repository's hash algorithm\nfatal: the remote end hung up unexpectedly\n", "the receiving end does not support this repository's hash algorithm", errUnfit},
		"archived":               {"ERROR: This repository was archived so it is read-only.\nfatal: Could not read from remote repository.\n", "This repository was archived so it is read-only", errDeclined},
		"no right": {
			"remote: Permission to a/b.git denied to c.\nfatal: unable to access 'https://host/a/b.git/': The requested URL returned error: 403\n",
			"Permission to a/b.git denied to c.; unable to access 'https://host/a/b.git/': The requested URL returned error: 403", errNoAccess,
		},
		"not there":                          {"remote: \nremote: ====\nremote: Repository not found.\nfatal: repository 'https://host/a/' not found\n", "Repository not found.; repository 'https://host/a/' not found", errAbsent},
		"a fault":                            {"fatal: unable to access 'x': The requested URL returned error: 503\n", "unable to access 'x': The requested URL returned error: 503", errTrouble},
		"too much":                           {"remote: You have exceeded a secondary rate limit\n", "You have exceeded a secondary rate limit", errTrouble},
		"a folder that cannot be written to": {"error: remote unpack failed: unable to create temporary object directory\n", "remote unpack failed: unable to create temporary object directory", errTrouble},
		"a proxy":                            {"fatal: unable to access 'x': Received HTTP code 407 from proxy after CONNECT\n", "unable to access 'x': Received HTTP code 407 from proxy after CONNECT", errNoAccess},
		"closed":                             {"Connection to h closed by remote host.\nfatal: the remote end hung up unexpectedly\n", "Connection to h closed by remote host", errOffline},
		"no name":                            {"ssh: Could not resolve hostname h: No such host is known.\n", "ssh: Could not resolve hostname h: No such host is known", errOffline},
		"broken off":                         {"Writing objects:  50% (1/2)\rWriting objects: 100% (2/2), done.\nTotal 2 (delta 0)\nfatal: the remote end hung up unexpectedly\n", "the remote end hung up unexpectedly", errOffline},
		"no certificate":                     {"fatal: unable to access 'x': SSL certificate problem: self-signed certificate\n", "unable to access 'x': SSL certificate problem: self-signed certificate", errNoAccess},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := explain(test.said, "origin", failed)
			want := "git: " + test.want + ": " + test.is.Error()
			envtest.FailIf(t, got.Error() != want || !errors.Is(got, test.is), "got %q, want %q", got, want)
		})
	}
}

// A push that the remote rejects is its own doing, whatever its words are like.
func TestExplainRejected(t *testing.T) {
	locked := explain("remote: error: cannot lock ref 'refs/heads/main': Unable to create '/r.git/refs/heads/main.lock': File exists.\n", "origin", errors.New("exit status 1"))
	err := explainRejected("[remote rejected] (failed to update ref)", locked)
	envtest.FailIf(t, !errors.Is(err, errLocked) || errors.Is(err, errRace), "a lock that stays: %v", err)
	for reason, want := range map[string]error{
		"[rejected] (fetch first)":                            errRace,
		"[remote rejected] (pre-receive hook declined)":       errDeclined,
		"[remote rejected] (branch is currently checked out)": errDeclined,
		"[remote rejected] (unpacker error)":                  errNoAccess,
	} {
		said := explain("remote: error: insufficient permission, connection refused\nerror: failed to push some refs to 'x'\n", "origin", errors.New("exit status 1"))
		err := explainRejected(reason, said)
		envtest.FailIf(t, !errors.Is(err, want) || errors.Is(err, errOffline), "%s: %v, want %v", reason, err, want)
	}
}
