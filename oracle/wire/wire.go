// Package wire carries questions to model servers over HTTP: it tries again
// where that can help, stops reading what is too long, follows no redirect, and
// turns what went wrong into short errors that hold no key.
//
// It knows no provider. The clients of the providers' libraries send their
// requests through [Client.Do], so that all of them behave alike.
package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"mem/oracle"
)

const (
	attempts  = 4
	firstWait = 500 * time.Millisecond
	maxError  = 64 << 10 // of the body of an error
)

// A Client sends one question. The zero value works.
type Client struct {
	// Transport is how; nil is that of the standard library, which knows the
	// proxy variables.
	Transport http.RoundTripper

	// Sleep waits; nil really does.
	Sleep func(ctx context.Context, d time.Duration) error

	// Limit is the time that the question has. A server that asks to wait
	// longer is not waited for. 0 means no limit.
	Limit time.Duration

	// Secrets are taken out of what a server says.
	Secrets []string
}

// Do sends a request, again where that can help, and returns an answer with
// status 2xx whose body is a JSON object in memory. Everything else is an error,
// a [StatusError] if the server gave one.
func (c Client) Do(req *http.Request) (*http.Response, error) {
	waited := time.Duration(0)
	for try := 1; ; try++ {
		res, wait, err := c.once(req)
		if err == nil {
			return res, nil
		}
		if ctxErr := req.Context().Err(); ctxErr != nil {
			return nil, c.late(ctxErr)
		}
		if wait < 0 || try == attempts {
			return nil, err
		}
		if wait == 0 {
			wait = firstWait << (try - 1)
			wait = wait/2 + rand.N(wait/2) // so that many do not come back at once
		}
		if waited += wait; c.Limit > 0 && waited >= c.Limit {
			return nil, fmt.Errorf("%w; it asks to wait longer than the question may take", err)
		}
		if err := c.sleep(req.Context(), wait); err != nil {
			return nil, c.late(err)
		}
	}
}

// late says that the time is up, unless somebody interrupted the question.
func (c Client) late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && c.Limit > 0 {
		return fmt.Errorf("no answer within %s: %w", c.Limit, err)
	}
	return err
}

func (c Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// never is the wait of what trying again cannot mend.
const never = -1

// once tries. wait says how to go on after an error: how long the server wants
// to be left alone, 0 if it does not say, or never.
func (c Client) once(req *http.Request) (res *http.Response, wait time.Duration, err error) {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, never, fmt.Errorf("read request: %w", err)
		}
	}
	plain := http.Client{
		Transport:     c.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err = plain.Do(again)
	if err != nil {
		return nil, worthIt(err), c.unreachable(req.URL.Host, err)
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return nil, never, fmt.Errorf("the server redirects to %s, where nothing is sent; set base_url to the right address", c.target(res))
	case res.StatusCode < 200 || res.StatusCode >= 400:
		// What cannot be read of an error says nothing more.
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxError))
		status := &StatusError{Code: res.StatusCode, Message: c.clean(message(body))}
		return nil, status.wait(res.Header), status
	case res.ContentLength > oracle.MaxAnswer:
		return nil, never, fmt.Errorf("%d bytes: %w", res.ContentLength, oracle.ErrTooLong)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, oracle.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("the connection broke off in the answer: %w", c.hideURL(err))
	case len(body) > oracle.MaxAnswer:
		return nil, never, oracle.ErrTooLong
	}
	if err := c.object(res, body); err != nil {
		return nil, never, err
	}
	body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Set("Content-Type", "application/json") // it is, whatever the server called it
	return res, 0, nil
}

// object refuses a body that is not about to be a JSON object.
func (c Client) object(res *http.Response, body []byte) error {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return errors.New("the server sent an empty answer")
	case body[0] == '{':
		return nil
	case body[0] == '<':
		return errors.New("the server sent a web page instead of JSON; base_url may be wrong")
	}
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	return fmt.Errorf("the server sent no JSON object (%s); base_url may be wrong", c.clean(kind))
}

// target is the host that a redirect names, and nothing else of it.
func (c Client) target(res *http.Response) string {
	if to, err := res.Location(); err == nil && to.Host != "" {
		return c.clean(to.Host)
	}
	return "nowhere"
}

// unreachable says that there is no answer at all.
func (c Client) unreachable(host string, err error) error {
	return fmt.Errorf("cannot reach %s: %w", host, c.hideURL(err))
}

// hideURL takes the address out of an error: it may hold more than a host.
func (c Client) hideURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// worthIt returns never for connections that will not come about however often
// they are tried.
func worthIt(err error) time.Duration {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	if errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &cert) {
		return never
	}
	return 0
}
