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
	return &conn{Connection: c, calls: map[jsonrpc.ID]bool{}, fewer: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

// A conn counts calls of tools.
type conn struct {
	sdk.Connection
	mu     sync.Mutex
	calls  map[jsonrpc.ID]bool
	fewer  chan struct{} // receives when one of them was answered
	once   sync.Once
	closed chan struct{}
}

// Read implements sdk.Connection.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.wait(ctx)
		return msg, err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "tools/call" && req.IsCall() {
		c.set(req.ID, true) // one that is cancelled is answered as well
	}
	return msg, nil
}

// Write implements sdk.Connection.
func (c *conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if res, ok := msg.(*jsonrpc.Response); ok {
		defer c.set(res.ID, false)
	}
	return c.Connection.Write(ctx, msg)
}

// Close implements sdk.Connection.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *conn) set(id jsonrpc.ID, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits {
		c.calls[id] = true
		return
	}
	delete(c.calls, id)
	select {
	case c.fewer <- struct{}{}:
	default:
	}
}

// wait returns when all calls are answered, or the connection is closed.
func (c *conn) wait(ctx context.Context) {
	for {
		c.mu.Lock()
		n := len(c.calls)
		c.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-c.fewer:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}
