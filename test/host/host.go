// Package host provides tests with addresses on this machine that nobody else uses.
package host

import (
	"fmt"
	"math/rand/v2"
)

// Address returns one of loopback's 16 million addresses. A port that is free there
// stays free while its server is away: programs that ask the system for any port, or
// connect somewhere, get one of 127.0.0.1 (ip(7), ip_local_port_range).
func Address() string {
	return fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), 1+rand.IntN(254), 1+rand.IntN(254))
}
