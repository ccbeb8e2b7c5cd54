package agent

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// peerKey is the context key of the connection's peer check.
type peerKey struct{}

// withPeer is the server's ConnContext: it prepares a check of the peer's user,
// which the first request of the connection runs.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, sync.OnceValue(func() bool {
		local, ok1 := c.LocalAddr().(*net.TCPAddr)
		remote, ok2 := c.RemoteAddr().(*net.TCPAddr)
		return ok1 && ok2 && sameUser(local.AddrPort(), remote.AddrPort())
	}))
}

// samePeer reports whether the agent's own user opened the connection. Without a
// check it is false.
func samePeer(r *http.Request) bool {
	check, ok := r.Context().Value(peerKey{}).(func() bool)
	return ok && check()
}
