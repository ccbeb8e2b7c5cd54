package agent

import (
	"context"
	"fmt"
	"net"
)

// bind takes the port for this process alone. Linux and macOS never let two
// listeners share an address unless both ask for it, which Go does not;
// Windows does unless the first one forbids it (exclusive).
func bind(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "localhost" {
		host = "127.0.0.1" // never another address, whatever the hosts file says
	}
	lc := net.ListenConfig{Control: exclusive}
	l, err := lc.Listen(ctx, "tcp4", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s (is another agent running?): %w", address, err)
	}
	return l, nil
}
