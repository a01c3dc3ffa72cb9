package transport

import (
	"errors"
	"testing"
)

// TestExplain shows of what git said the line that tells why.
func TestExplain(t *testing.T) {
	failed := errors.New("exit status 128")
	tests := map[string]struct{ said, want string }{
		"a key that ssh does not know": {
			"No ED25519 host key is known for [host]:22\nHost key verification failed.\r\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
			"git: Host key verification failed.: exit status 128",
		},
		"a person that ssh does not know": {
			"Warning: Permanently added 'host' to the list of known hosts.\ngit@host: Permission denied (publickey).\nfatal: Could not read from remote repository.\n",
			"git: git@host: Permission denied (publickey).: exit status 128",
		},
		"no more than that":      {"fatal: Could not read from remote repository.\n", "git: Could not read from remote repository.: exit status 128"},
		"the line of git itself": {"warning: slow\nfatal: bad object\n", "git: bad object: exit status 128"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := explain(test.said, failed).Error(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
