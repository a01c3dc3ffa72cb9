package redistill_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mem/redistill"
)

func TestPlanFile(t *testing.T) {
	p := &redistill.Plan{
		Version: 1, At: t0, Oracle: "o", Global: true, Examined: 2,
		Rewrites: []redistill.Rewrite{{ID: "m-1", Before: "<a>", After: "é\u2028", Why: "w"}, {ID: "m-2"}},
		Merges:   []redistill.Merge{{Into: "m-1", From: []string{"m-2"}, Text: "t"}}, Problems: []string{"p"},
	}
	for _, p := range []*redistill.Plan{p, {Version: 1}} {
		data, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("null")) || !bytes.HasSuffix(data, []byte("}\n")) {
			t.Errorf("Encode = %s", data)
		}
		got, err := redistill.DecodePlan(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Decode(Encode(x)) (-x +got):\n%s", diff)
		}
	}
	for _, data := range []string{
		``, `null`, `[]`, `{}`, `{"version":2}`, `{"version":1,"more":1}`, `{"version":1,"version":1}`, `{"version":1} {}`, `{"version":1,"rewrites":[{"ids":"m-1"}]}`,
	} {
		if p, err := redistill.DecodePlan([]byte(data)); !errors.Is(err, redistill.ErrPlan) || p != nil {
			t.Errorf("Decode(%s) = %v, %v", data, p, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"at":"2026-02-03T04:05:06Z","oracle":"o","global":true,"examined":1,"rewrites":[{"id":"m-1","before":"a","after":"b"}],"merges":[{"into":"m-1","from":["m-2"],"text":"t"}],"problems":["p"]}`))
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := redistill.DecodePlan(data)
		if err != nil {
			if !errors.Is(err, redistill.ErrPlan) {
				t.Errorf("Decode = %v", err)
			}
			return
		}
		out, err := p.Encode()
		if err != nil {
			t.Fatalf("it can be read and not be written: %v", err)
		}
		again, err := redistill.DecodePlan(out)
		if err != nil {
			t.Fatalf("Decode(Encode(x)): %v\n%s", err, out)
		}
		if diff := cmp.Diff(p, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Decode(Encode(x)) (-x +got):\n%s", diff)
		}
		m := memory(2)
		if _, _, err := p.Apply(m, false); err != nil && !errors.Is(err, redistill.ErrTooMuch) {
			t.Errorf("Apply: %v", err)
		}
	})
}
