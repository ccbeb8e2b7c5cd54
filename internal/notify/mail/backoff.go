package mail

import (
	"math/rand/v2"
	"time"
)

// retries are the pauses after a temporary refusal of a message, plus or minus a fifth;
// the last one repeats until the message expires.
var retries = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
}

// probes are the pauses while all messages wait, likewise.
var probes = []time.Duration{
	5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
}

// signIns are the pauses after a refused sign-in, likewise: servers lock accounts, and block
// hosts, that keep trying.
var signIns = []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour}

// pause returns how long to wait after that many attempts. The jitter spreads
// messages that were refused together.
func pause(list []time.Duration, attempts int, random func() float64) time.Duration {
	base := list[min(max(attempts, 1), len(list))-1]
	return time.Duration(float64(base) * (0.8 + 0.4*random()))
}

func jitter() float64 { return rand.Float64() } //nolint:gosec // it spreads load, it guards nothing
