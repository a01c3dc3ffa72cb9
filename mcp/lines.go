package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is how long a message may be, in bytes; the SDK ends at more.
const maxLine = sdk.DefaultMaxLineLength / 2

// passOn passes on the messages of a client, one a line, and answers what is not one: the SDK would
// end. The messages of a batch, which the SDK takes in few versions of the protocol, come one by one.
func (o *output) passOn(in *bufio.Reader, to io.Writer) error {
	for {
		line, errRead := readLine(in)
		var batch []json.RawMessage
		switch line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))); {
		case len(line) > maxLine:
			refuse(o, jsonrpc.CodeParseError, fmt.Sprintf("a message may have %d bytes", maxLine))
		case len(line) == 0:
		case !utf8.Valid(line) || !json.Valid(line):
			refuse(o, jsonrpc.CodeParseError, "this line is not JSON")
		case json.Unmarshal(line, &batch) != nil || len(batch) == 0:
			batch = []json.RawMessage{line}
		}
		for _, message := range batch {
			m, err := jsonrpc.DecodeMessage(message)
			if req, ok := m.(*jsonrpc.Request); ok && req.IsCall() {
				o.change(func() { o.open[req.ID] = true }) // one that is cancelled is answered as well
			}
			if err != nil {
				refuse(o, jsonrpc.CodeInvalidRequest, "this is not a message of JSON-RPC 2.0")
			} else if _, err := to.Write(append(message, '\n')); err != nil {
				return err
			}
		}
		if errRead != nil {
			o.wait()
			return errRead
		}
	}
}

// readLine returns the next line, or more than maxLine bytes of one that is longer.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// refuse answers what is not a message. A client that is gone is noticed elsewhere.
func refuse(out io.Writer, code int, why string) {
	fmt.Fprintf(out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
}

// An output is a writer for several, which none of them closes: it belongs to the caller. It knows which calls
// have no answer yet. The SDK would drop them at the end of the input, and the lessons that an agent
// hands in as its last act would be lost.
type output struct {
	io.Writer
	mu      sync.Mutex
	changed sync.Cond // of what follows
	open    map[jsonrpc.ID]bool
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (n int, err error) {
	m, _ := jsonrpc.DecodeMessage(p)
	o.change(func() {
		n, err = o.Writer.Write(p)
		if res, ok := m.(*jsonrpc.Response); ok {
			delete(o.open, res.ID)
		}
	})
	return n, err
}

// Close implements io.Closer: no answer follows.
func (o *output) Close() error {
	o.change(func() { clear(o.open) })
	return nil
}

// change makes a change, and wakes what waits for one.
func (o *output) change(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
	o.changed.Broadcast()
}

// wait returns when no call is open.
func (o *output) wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.open) > 0 {
		o.changed.Wait()
	}
}
