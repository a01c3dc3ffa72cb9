package withheld

import (
	"strings"

	"mem/index"
)

// Events are what quarantined and retired lessons rest on, with their status: by session and
// id of the event. What says a superseded lesson is not among them: a better one says it too.
type Events map[[2]string]index.Status

// AddOf adds the events of the lessons of an index, as far as it keeps their sources.
func (e Events) AddOf(ix *index.Index) {
	for i := range ix.Items {
		it := &ix.Items[i]
		if it.Status != index.Quarantined && it.Status != index.Retired {
			continue
		}
		for _, src := range it.Sources {
			first, last, _ := strings.Cut(src.Span, "..")
			for _, id := range []string{first, last} {
				if id != "" && src.Trace != "" {
					e[[2]string{src.Trace, id}] = it.Status
				}
			}
		}
	}
}
