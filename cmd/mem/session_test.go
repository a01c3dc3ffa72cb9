package main

import "testing"

func TestFitLine(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"", ""}, {"four", "four"}, {"fivée", "fivée"}, {"six666", "six6…"},
	} {
		if got := fitLine(tt.line, 5); got != tt.want {
			t.Errorf("fitLine(%q, 5) = %q, want %q", tt.line, got, tt.want)
		}
	}
}
