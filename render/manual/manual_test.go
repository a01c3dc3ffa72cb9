package manual

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRender(t *testing.T) {
	p := Page{Name: "mem do it", Short: "Do - it", Version: "v1", Sections: []Section{
		{"DESCRIPTION", "A line\nand more, with \\ and 'quotes'.\n\n.TH is no request.\n'br neither.\n\n  one   literal\n\n  two\nback…\n"},
		{"EMPTY", " \n"},
		{"EXAMPLES", "  mem do --it `x` ~ ^\n"},
	}}
	want := `.TH "MEM\-DO\-IT" "1" "" "mem v1" "mem"
.SH NAME
mem\-do\-it \- Do \- it
.SH DESCRIPTION
A line
and more, with \e and \(aqquotes\(aq.
.PP
\&.TH is no request.
\(aqbr neither.
.PP
.nf
  one   literal

  two
.fi
.PP
back\[u2026]
.SH EXAMPLES
.PP
.nf
  mem do \-\-it \` + "`x\\`" + ` \(ti \(ha
.fi
`
	if diff := cmp.Diff(want, string(p.Render())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.FileName(); got != "mem-do-it.1" {
		t.Error(got)
	}
}
