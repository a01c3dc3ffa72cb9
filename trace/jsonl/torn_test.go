package jsonl

import (
	"strings"
	"testing"

	"mem/envtest"
)

// A record that was torn off anywhere costs itself, and nothing behind it on the line.
func TestTorn(t *testing.T) {
	const whole = `{"type":"user","list":[1,{"a":"b \" {\"x\":1} {"}],"message":{"role":"user","content":"say {"},"ok":true,"n":12}`
	const next = `{"type":"last","message":{"role":"m","content":"{\"type\":1}"}}`
	read := func(in string) (types []string) {
		for v := range Objects[struct{ Type string }](FromBytes([]byte(in))) {
			types = append(types, v.Type)
		}
		return types
	}
	for i := 1; i < len(whole); i++ {
		torn := whole[:i]
		for _, in := range []string{torn + next, torn + next + "\n", torn + torn + next + "\n", torn + next + torn + "\n", next + torn + "\n"} {
			envtest.Same(t, "last last", strings.Join(read(in+"\n"+next), " "), in)
		}
	}
}
