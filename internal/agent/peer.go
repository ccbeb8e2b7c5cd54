package agent

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// peerKey carries the connection's check in the request's context.
type peerKey struct{}

// withPeer is the server's ConnContext: it makes ready a check of who is at
// the other end, done at the first request of the connection.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, sync.OnceValue(func() bool {
		local, ok1 := c.LocalAddr().(*net.TCPAddr)
		remote, ok2 := c.RemoteAddr().(*net.TCPAddr)
		return ok1 && ok2 && sameUser(local.AddrPort(), remote.AddrPort())
	}))
}

// samePeer tells whether the request's connection is of the agent's own
// user. Without a check there is no trust.
func samePeer(r *http.Request) bool {
	check, ok := r.Context().Value(peerKey{}).(func() bool)
	return ok && check()
}
