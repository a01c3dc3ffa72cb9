package oracle

import (
	"context"
	"fmt"
)

// A Meter counts what models are asked and says when it is enough.
type Meter interface {
	// Take counts one question. Its error wraps ErrSpent when there may be
	// no more.
	Take() error
	// Spend counts the tokens of one question.
	Spend(tokens int)
}

// Metered returns o with every question counted by m. Tokens are those that
// the oracle reports, or else estimated.
func Metered(o Oracle, m Meter) Oracle { return metered{o, m} }

type metered struct {
	Oracle
	meter Meter
}

// Model returns the model behind the oracle, if it is known.
func (m metered) Model() string {
	if o, ok := m.Oracle.(interface{ Model() string }); ok {
		return o.Model()
	}
	return ""
}

// Ask counts the question before it is asked, so that one that never ends
// counts too.
func (m metered) Ask(ctx context.Context, r Request) (string, error) {
	if err := m.meter.Take(); err != nil {
		return "", fmt.Errorf("not asked: %w", err)
	}
	reported := 0
	r.Report = func(tokens int) { reported += tokens }
	answer, err := m.Oracle.Ask(ctx, r)
	switch {
	case reported > 0:
		m.meter.Spend(reported)
	case err == nil: // what failed without a word from the server cost nothing, as far as anybody knows
		m.meter.Spend(Estimate(r.Text()) + Estimate(answer))
	}
	return answer, err
}
