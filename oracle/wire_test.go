package oracle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mem/envtest"
)

// post sends a request to a server that does what is given and returns how long the client slept between its tries.
func post(t *testing.T, limit time.Duration, does http.HandlerFunc) (answer string, slept []time.Duration, err error) {
	t.Helper()
	server := httptest.NewServer(does)
	defer server.Close()
	c := Client{Limit: limit, Sleep: func(_ context.Context, d time.Duration) error {
		slept = append(slept, d)
		return nil
	}}
	ctx := t.Context()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	var raw jsontext.Value
	err = c.post(ctx, server.URL, nil, "question", &raw)
	return string(raw), slept, err
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		after, date string
		least, most time.Duration // of the first wait
	}{
		{"", "", 250 * time.Millisecond, 500 * time.Millisecond},
		{"3", "", 3 * time.Second, 3 * time.Second},
		{"0.5", "", 500 * time.Millisecond, 500 * time.Millisecond},
		{"-1", "", 250 * time.Millisecond, 500 * time.Millisecond},
		{"Tue, 03 Feb 2026 04:05:16 GMT", "Tue, 03 Feb 2026 04:05:06 GMT", 10 * time.Second, 10 * time.Second},
		{"Tue, 03 Feb 2026 04:05:06 GMT", "Tue, 03 Feb 2026 04:05:16 GMT", 250 * time.Millisecond, 500 * time.Millisecond},
	} {
		var asked atomic.Int32
		got, slept, err := post(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			envtest.FailIf(t, string(body) != `"question"`, "try %d sends %q", asked.Load(), body)
			if asked.Add(1) == 1 {
				if tt.date != "" {
					w.Header().Set("Date", tt.date)
				}
				w.Header().Set("Retry-After", tt.after)
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			io.WriteString(w, `{"ok":1}`)
		})
		envtest.FailIf(t, err != nil || got != `{"ok":1}` || len(slept) != 1 || slept[0] < tt.least || slept[0] > tt.most,
			"Retry-After %q: %q, %v, slept %v, want %v to %v", tt.after, got, err, slept, tt.least, tt.most)
	}
}

// The waits grow, end with the fourth try, and never add up to the limit.
func TestBackoff(t *testing.T) {
	down := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	_, slept, err := post(t, 0, down(""))
	var status *statusError
	envtest.FailIf(t, !errors.As(err, &status) || status.Code != 503 || len(slept) != 3, "slept %v, %v", slept, err)
	for i, d := range slept {
		most := 500 * time.Millisecond << i
		envtest.FailIf(t, d < most/2 || d > most, "wait %d is %v, want up to %v", i, d, most)
	}
	for after, want := range map[string]int{"25": 2, "45": 1, "60": 0, "1e300": 0, "NaN": 3} {
		if _, slept, err := post(t, time.Minute, down(after)); err == nil || len(slept) != want {
			t.Errorf("Retry-After %s: slept %v, %v, want %d times", after, slept, err, want)
		}
	}
}

// A server that hangs, or drips for ever, is left when the time is up.
func TestLimit(t *testing.T) {
	for name, does := range map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		"drips": func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			for r.Context().Err() == nil {
				fmt.Fprint(w, "{")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		},
	} {
		_, _, err := post(t, 50*time.Millisecond, does)
		envtest.FailIf(t, !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 50ms"),
			"%s: %v", name, err)
	}
}

func TestRejects(t *testing.T) {
	for _, tt := range []struct {
		code int
		said string
		want bool
	}{
		{400, "Either json_schema or grammar", true}, {400, "", true}, {422, "unknown field", true}, {500, "json_schema is not implemented", true},
		{404, "No endpoints found that support require_parameters", true}, {404, "no such model", false}, {401, "", false}, {500, "", false},
		{400, "maximum context length is 8192 tokens", false}, {400, "Your credit balance is too low", false},
	} {
		envtest.Same(t, tt.want, isRejected(&statusError{Code: tt.code, Message: tt.said}), tt.code, tt.said)
	}
}

// A key goes over https, or to this machine, and else nowhere.
func TestTakesKey(t *testing.T) {
	for address, want := range map[string]bool{
		"https://api.example.com": true, "http://localhost:11434/v1": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://192.168.1.5:8000/v1": false, "http://localhost.example.com": false, "http://127.0.0.1.example.com": false, "://": false,
	} {
		envtest.Same(t, want, (modelServer{BaseURL: address}).takesKey(), address)
	}
}

func TestFits(t *testing.T) {
	r := Request{Prompt: strings.Repeat("x", 4000), MaxTokens: 500}
	for context, fits := range map[int]bool{0: true, 1500: true, 1499: false} {
		_, err := modelServer{ContextTokens: context}.clientFor(t.Context(), r)
		envtest.FailIf(t, (err == nil) != fits || err != nil && !errors.Is(err, errTooBig),
			"context of %d: %v", context, err)
	}
	envtest.Same(t, 700, modelServer{MaxTokens: 700}.answerTokens(r))
}

// A key that cannot be had, or is none, is never sent.
func TestKey(t *testing.T) {
	for _, key := range []string{"two\nlines", "ünicode", "with space"} {
		s := modelServer{BaseURL: "https://h", Key: func(context.Context) (string, error) { return key, nil }}
		_, err := s.clientFor(t.Context(), Request{})
		envtest.FailIf(t, err == nil || strings.Contains(err.Error(), key), "key %q: %v", key, err)
	}
}

// A key that may not be sent is not even asked for.
func TestKeyElsewhere(t *testing.T) {
	asked := false
	s := modelServer{BaseURL: "http://192.0.2.1/v1", Key: func(context.Context) (string, error) { asked = true; return "k", nil }}
	c, err := s.clientFor(t.Context(), Request{})
	envtest.FailIf(t, err != nil || c.Key != "" || asked, "key %q, asked %v, %v", c.Key, asked, err)
}

// What a server sends is text before anybody reads it.
func TestInvalidUTF8(t *testing.T) {
	got, _, err := post(t, 0, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{\"a\":\"\xff\xfe\"}") })
	want := "{\"a\":\"\uFFFD\"}"
	envtest.FailIf(t, err != nil || got != want, "%q, %v, want %q", got, err, want)
}
