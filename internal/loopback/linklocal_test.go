package loopback

import (
	"errors"
	"net"
	"testing"
)

func TestLinkLocal(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"169.254.169.254": true, "169.254.0.1": true, "::ffff:169.254.169.254": true, "fe80::1": true, "[fe80::1]": true, "fe80::1%lo": true,
		"ff02::1": true, "127.0.0.1": false, "10.0.0.1": false, "::1": false, "fd00::1": false, "169.255.0.1": false,
		"s3.example.org": false, "": false,
	} {
		if LinkLocal(address) != want {
			t.Errorf("%q: %v", address, !want)
		}
	}
	d := net.Dialer{ControlContext: RefuseLinkLocal} // as for a name that resolves to it
	for _, address := range []string{"169.254.169.254:80", "[::ffff:169.254.169.254]:80"} {
		c, err := d.DialContext(t.Context(), "tcp", address)
		if !errors.Is(err, ErrLinkLocal) {
			t.Errorf("%s: %v, %v", address, c, err)
		}
	}
}
