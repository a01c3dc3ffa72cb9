package config

import (
	"fmt"
	"strings"
	"testing"

	"mem/envtest"
)

// The page of all keys says what the keys say: go test ./config -run TestPage -update makes it.
func TestPage(t *testing.T) {
	const path = "../docs/config.md"
	intro, _, _ := strings.Cut(envtest.Read(t, path), "\n| key |")
	page := intro + "\n| key | what it is for | values | default |\n|---|---|---|---|\n"
	l, err := Load(nil, nil, nil)
	envtest.NoError(t, err)
	for _, v := range l.Values() {
		if v, err = l.Explain(v.Key); err != nil || v.Means == "" || v.Takes == "" || !strings.HasSuffix(v.Means, ".") {
			t.Errorf("Explain(%s) = %+v, %v, want what it is for, in sentences", v.Key, v, err)
		}
		own := map[bool]string{true: " *"}[v.Own]
		page += fmt.Sprintf("| `%s`%s | %s | %s | `%s` |\n", v.Key, own, v.Means, v.Takes, v.Default)
	}
	envtest.Golden(t, path, page)
}
