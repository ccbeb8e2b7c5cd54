package webhook

import (
	"math/rand/v2"
	"time"
)

// retries are the pauses between attempts, plus or minus a fifth. After the
// last one the delivery has failed.
var retries = []time.Duration{
	10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// MaxAttempts is how often a delivery is tried, unless someone replays it.
var MaxAttempts = len(retries) + 1

// pause returns how long to wait after that many failed attempts; false when
// none is left. The jitter spreads deliveries that failed together.
func pause(attempts int, random func() float64) (time.Duration, bool) {
	if attempts < 1 || attempts > len(retries) {
		return 0, false
	}
	base := retries[attempts-1]
	return time.Duration(float64(base) * (0.8 + 0.4*random())), true
}

func jitter() float64 { return rand.Float64() } //nolint:gosec // it spreads load, it guards nothing
