package mail

import (
	"math/rand/v2"
	"time"
)

// retries are the pauses after a message was refused for now, give or take a fifth; the
// last one again and again, until its time is over.
var retries = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
}

// probes are the pauses while all messages wait, likewise.
var probes = []time.Duration{
	5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
}

// signIns are the pauses after a sign-in was refused, likewise: servers lock accounts, and bar
// machines, that try on.
var signIns = []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour}

// pause is how long to wait after that many attempts. The jitter keeps messages that
// were refused together from coming back together.
func pause(list []time.Duration, attempts int, random func() float64) time.Duration {
	base := list[min(max(attempts, 1), len(list))-1]
	return time.Duration(float64(base) * (0.8 + 0.4*random()))
}

func jitter() float64 { return rand.Float64() } //nolint:gosec // it spreads load, it guards nothing
