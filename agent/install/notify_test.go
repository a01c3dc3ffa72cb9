package install

import (
	"testing"

	"mem/envtest"
)

func TestNotify(t *testing.T) {
	const line = notify
	for _, tt := range []struct{ before, after string }{
		{"", line},
		{"\n", line + "\n\n"},
		{"\xef\xbb\xbf", "\xef\xbb\xbf" + line},
		{"# mine\nmodel = \"x\"\n[features]\nhooks = true", line + "\n# mine\nmodel = \"x\"\n[features]\nhooks = true"},
		{"[tui]\r\nx = 1\r\n", line + "\r\n[tui]\r\nx = 1\r\n"},
		{"\xef\xbb\xbf[tui]\nnotify = 1\n", "\xef\xbb\xbf" + line + "\n[tui]\nnotify = 1\n"},
		{"a = '''\n" + line + "\n'''\n", line + "\na = '''\n" + line + "\n'''\n"},
	} {
		got, err := addNotify([]byte(tt.before))
		if err != nil || string(got) != tt.after {
			t.Errorf("addNotify(%q) = %q, %v, want %q", tt.before, got, err, tt.after)
			continue
		}
		again, err := addNotify(got)
		envtest.FailIf(t, err != nil || string(again) != tt.after, "a second time: %q, %v, want %q", again, err, tt.after)
		if back, err := removeNotify(got); err != nil || string(back) != tt.before || back == nil {
			t.Errorf("removeNotify(%q) = %q, %v, want %q", got, back, err, tt.before)
		}
	}
	got, err := addNotify(nil)
	envtest.FailIf(t, err != nil || string(got) != line+"\n", "addNotify(nil) = %q, %v", got, err)
	back, err := removeNotify(got)
	envtest.FailIf(t, err != nil || back != nil, "removeNotify = %q, %v, want no file", back, err)
}

func TestNotifyRefused(t *testing.T) {
	for _, in := range []string{`notify = ["say"]`, `notify = "mem hook codex"`, "notify = [", "a = 1\na = 2\n", "\xff\xfen\x00o\x00t\x00i\x00f"} {
		got, err := addNotify([]byte(in))
		envtest.FailIf(t, err == nil, "addNotify(%q) = %q", in, got)
	}
	got, err := removeNotify([]byte("a = '''" + notify + "'''\n" + notify + "\n"))
	envtest.Wraps(t, ErrRefused, err, "a line in a text", got)
	const other = "notify = [\"say\"]\n"
	got, err = removeNotify([]byte(other))
	envtest.FailIf(t, err != nil || string(got) != other, "removeNotify(%q) = %q, %v", other, got, err)
}
