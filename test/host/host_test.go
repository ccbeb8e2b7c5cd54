package host_test

import (
	"net"
	"testing"

	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
)

// TestAddress: it is this machine, and connections to it come from another address.
func TestAddress(t *testing.T) {
	t.Parallel()
	address := host.Address()
	ln := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(address, "0")))(t)
	defer func() { must.OK(t, ln.Close()) }()
	conn := must.Get((&net.Dialer{}).DialContext(t.Context(), "tcp", ln.Addr().String()))(t)
	defer func() { must.OK(t, conn.Close()) }()
	from, to := conn.LocalAddr().(*net.TCPAddr).IP.String(), conn.RemoteAddr().(*net.TCPAddr).IP.String()
	if to != address || from != "127.0.0.1" {
		t.Errorf("from %s to %s, the address is %s", from, to, address)
	}
}
