package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// patient is a transport whose input ends only after each call was answered. The
// SDK would drop open calls, and the lessons that an agent hands in as its last act
// would be lost.
type patient struct{ sdk.Transport }

// Connect implements sdk.Transport.
func (p patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	counted := &conn{Connection: c, calls: map[jsonrpc.ID]bool{}}
	counted.changed.L = &counted.mu
	return counted, nil
}

// A conn counts calls of tools.
type conn struct {
	sdk.Connection
	mu      sync.Mutex
	changed sync.Cond           // of what follows
	calls   map[jsonrpc.ID]bool // that were not answered yet
	closed  bool
}

// Read implements sdk.Connection.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.wait(ctx)
		return msg, err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "tools/call" && req.IsCall() {
		c.change(func() { c.calls[req.ID] = true }) // one that is cancelled is answered as well
	}
	return msg, nil
}

// Write implements sdk.Connection.
func (c *conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if res, ok := msg.(*jsonrpc.Response); ok {
		defer c.change(func() { delete(c.calls, res.ID) })
	}
	return c.Connection.Write(ctx, msg)
}

// Close implements sdk.Connection.
func (c *conn) Close() error {
	c.change(func() { c.closed = true })
	return c.Connection.Close()
}

// change makes a change, and wakes what waits for one.
func (c *conn) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	c.changed.Broadcast()
}

// wait returns when all calls are answered, or the connection is closed.
func (c *conn) wait(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { c.change(func() {}) })()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.calls) > 0 && !c.closed && ctx.Err() == nil {
		c.changed.Wait()
	}
}
