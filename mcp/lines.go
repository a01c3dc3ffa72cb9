package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is how long a message may be, in bytes; the SDK ends at more.
const maxLine = sdk.DefaultMaxLineLength / 2

// lines passes on the messages of a client, one a line, and answers what is not one: the SDK would
// end. The messages of a batch, which the SDK takes in few versions of the protocol, come one by one.
type lines struct {
	in   *bufio.Reader
	out  *output
	left []byte // of what is to be passed on
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, isLong, err := l.readLine()
		if isLong {
			l.refuse(jsonrpc.CodeParseError, fmt.Sprintf("a message may have %d bytes", maxLine))
		} else if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))); len(line) > 0 {
			l.check(line)
		}
		if err != nil && len(l.left) == 0 {
			return 0, err
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// Close implements io.Closer: the input belongs to the caller.
func (l *lines) Close() error { return nil }

// readLine returns the next line, or that it is too long.
func (l *lines) readLine() (line []byte, isLong bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if isLong = isLong || len(line)+len(part) > maxLine; !isLong {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, isLong, err
		}
	}
}

// check passes on the messages of a line.
func (l *lines) check(line []byte) {
	if !utf8.Valid(line) || !json.Valid(line) {
		l.refuse(jsonrpc.CodeParseError, "this line is not JSON")
		return
	}
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
		batch = []json.RawMessage{line}
	}
	for _, message := range batch {
		if _, err := jsonrpc.DecodeMessage(message); err != nil {
			l.refuse(jsonrpc.CodeInvalidRequest, "this is not a message of JSON-RPC 2.0")
			continue
		}
		l.left = append(append(l.left, message...), '\n')
	}
}

// refuse answers what is not a message. A client that is gone is noticed elsewhere.
func (l *lines) refuse(code int, why string) {
	fmt.Fprintf(l.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
}

// An output is a writer for several, which none of them closes: it belongs to the caller.
type output struct {
	mu sync.Mutex
	to io.Writer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(p)
}

// Close implements io.Closer.
func (o *output) Close() error { return nil }
