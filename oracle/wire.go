package oracle

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	attempts  = 4
	firstWait = 500 * time.Millisecond
	maxError  = 64 << 10 // of the body of an error
)

// A Client carries one question to a model server over HTTP: it tries again where that can help, stops reading what is too
// long, follows no redirect, and turns what went wrong into short errors that hold no key. A provider's own library would do
// no more for mem, and that of Anthropic was a quarter of the program. The zero value works.
type Client struct {
	// Sleep waits; nil really does.
	Sleep func(ctx context.Context, d time.Duration) error

	// Limit is the time that the question has. A server that asks to wait
	// longer is not waited for. 0 means no limit.
	Limit time.Duration

	// Key is the key to send with a question; "" if there is none. It is taken out of what a server says.
	Key string
}

func (c Client) keyHeader(name, word string) http.Header {
	h := http.Header{}
	if c.Key != "" {
		h.Set(name, word+c.Key)
	}
	return h
}

// post sends question as JSON, again where that can help, and decodes the server's answer into answer. An error is
// short and holds no key; it wraps a [StatusError] if the server refused.
func (c Client) post(ctx context.Context, address string, header http.Header, question, answer any) error {
	body, err := json.Marshal(question, lenient())
	if err != nil {
		return fmt.Errorf("write question: %w", err)
	}
	said, err := c.send(ctx, address, header, body)
	if err != nil {
		return c.explain(err)
	}
	// What follows the first value is not looked at.
	if err := json.UnmarshalDecode(jsontext.NewDecoder(bytes.NewBuffer(said), lenient()), answer); err != nil {
		return c.explain(fmt.Errorf("read answer: %w", err))
	}
	return nil
}

// explain makes an error fit for people. Errors of this package and of the
// context stay as they are; the words of others are cleaned.
func (c Client) explain(err error) error {
	switch status, _ := errors.AsType[*statusError](err); {
	case status != nil && status.Code == http.StatusUnauthorized:
		return fmt.Errorf("%w; is the key right?", status)
	case status != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errTooLong):
		return err
	}
	return errors.New(c.clean(err.Error()))
}

// send sends a question, again where that can help, and returns the body of an
// answer with status 2xx that starts like a JSON object.
func (c Client) send(ctx context.Context, address string, header http.Header, question []byte) ([]byte, error) {
	waited := time.Duration(0)
	for try := 1; ; try++ {
		body, wait, err := c.sendOnce(ctx, address, header, question)
		if err == nil {
			return body, nil
		}
		if ctxErr := ctx.Err(); ctxErr != nil {
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
		if err := c.sleep(ctx, wait); err != nil {
			return nil, c.late(err)
		}
	}
}

// late says that the time is up, unless the question was interrupted.
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
	return Sleep(ctx, d)
}

// Sleep waits, unless ctx is done before.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// never is the wait of what trying again cannot mend.
const never = -1

// sendOnce tries once. wait says when to try again after an error: how long the
// server wants to be left alone, 0 if it does not say, or never.
func (c Client) sendOnce(ctx context.Context, address string, header http.Header, question []byte) (body []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(question))
	if err != nil {
		return nil, never, fmt.Errorf("write question: %w", c.hideURL(err))
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "mem")
	plain := http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := plain.Do(req)
	if err != nil {
		return nil, worthIt(err), fmt.Errorf("cannot reach %s: %w", req.URL.Host, c.hideURL(err))
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		host := "nowhere"
		if to, err := res.Location(); err == nil && to.Host != "" {
			host = c.clean(to.Host) // and nothing else of it
		}
		return nil, never, fmt.Errorf("the server redirects to %s, where nothing is sent; set base_url to the right address", host)
	case res.StatusCode < 200 || res.StatusCode >= 400:
		// What cannot be read of an error says nothing more.
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxError))
		status := &statusError{Code: res.StatusCode, Message: c.clean(readMessage(body))}
		return nil, status.wait(res.Header), status
	case res.ContentLength > maxAnswer:
		return nil, never, fmt.Errorf("%d bytes: %w", res.ContentLength, errTooLong)
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("the connection broke off in the answer: %w", c.hideURL(err))
	case len(body) > maxAnswer:
		return nil, never, errTooLong
	}
	if err := c.requireObject(res, body); err != nil {
		return nil, never, err
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD")), 0, nil
}

// requireObject refuses a body that does not start like a JSON object.
func (c Client) requireObject(res *http.Response, body []byte) error {
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

// hideURL takes the address out of an error: it may hold more than a host.
func (c Client) hideURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
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
