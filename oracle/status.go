package oracle

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
	"mem/lazy"
	"mem/render"
)

type statusError struct {
	Code    int    // HTTP status
	Message string // what the server says about it, short and on one line; may be ""
}

// Error returns the status and the message.
func (e *statusError) Error() string {
	s := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Code, http.StatusText(e.Code)))
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// isRejected reports whether the server did not like the form of the request, as
// opposed to what it asks or who asks it, so that a simpler form may pass.
func isRejected(err error) bool {
	switch e, ok := errors.AsType[*statusError](err); {
	case !ok, e.Code < 400, aboutLength.Matches(e.Message):
		return false
	case aboutForm.Matches(e.Message):
		return true
	default:
		return e.Code == http.StatusBadRequest || e.Code == http.StatusUnprocessableEntity || e.Code == http.StatusNotImplemented
	}
}

var (
	aboutLength = lazy.New(`(?i)context[ _]length|too many tokens|too long|credit|quota`)
	aboutForm   = lazy.New(`(?i)response_format|schema|output_config|output_format|grammar|structured|require_parameters`)
)

// wait says how long to leave the server alone before trying again: as long as
// it says, 0 if it does not say, or never.
func (e *statusError) wait(h http.Header) time.Duration {
	switch e.Code {
	case http.StatusTooManyRequests:
		if strings.Contains(e.Message, "quota") || strings.Contains(e.Message, "billing") {
			return never // waiting does not fill an account
		}
	case http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, overloaded:
	default:
		return never
	}
	return retryAfter(h)
}

const overloaded = 529 // of Anthropic

// maxWait bounds what a header can ask for, so that sums of it stay numbers.
const maxWait = 24 * time.Hour

// retryAfter reads the header of that name. A moment is taken as so long after
// the moment of the answer, so that a wrong clock does not matter.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		wait = time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			wait = at.Sub(sent)
		}
	}
	return min(max(wait, 0), maxWait)
}

func readMessage(body []byte) string {
	var said struct {
		Error   jsontext.Value `json:"error"`
		Message string         `json:"message"`
		Detail  jsontext.Value `json:"detail"`
	}
	if json.Unmarshal(body, &said, lenient()) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") {
			return "a web page"
		}
		return text
	}
	for _, raw := range []jsontext.Value{said.Error, said.Detail} {
		var text string
		if json.Unmarshal(raw, &text, lenient()) == nil && text != "" {
			return text
		}
		var inner struct {
			Type    string `json:"type"`
			Code    any    `json:"code"`
			Message string `json:"message"`
		}
		if json.Unmarshal(raw, &inner, lenient()) == nil && inner.Message != "" {
			if kind, ok := inner.Code.(string); ok && kind != "" {
				return inner.Message + " (" + kind + ")"
			}
			return inner.Message
		}
	}
	return said.Message
}

// maxSaid bounds what is repeated of a server's words, in characters.
const maxSaid = 200

// clean makes a server's words fit for a terminal and a log: one line, short, nothing invisible, no key.
func (c Client) clean(s string) string {
	if c.Key != "" {
		s = strings.ReplaceAll(s, c.Key, "[key]")
	}
	return render.Shorten(strings.TrimRight(guard.Line(s), "."), maxSaid)
}
