package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// timing asks whether the time of a refused sign-in tells that a name exists.
// Samples of the two kinds alternate, in an order thrown anew for each pair,
// over one connection, and every name is used once: no lock interferes. The
// same is done with two groups of unknown names, which cannot differ: that is
// what this machine's noise looks like.
func timing(ctx context.Context, b *bench) error {
	pairs := b.size(600, 4)
	return b.signingIn(ctx, "timing", pairs, func(p *process) error {
		c, err := p.dial(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		n := 0
		unknown := func() string { n++; return "nobody-" + strconv.Itoa(n) }
		known := 0
		kinds := [3]func() string{
			func() string { known++; return "login-" + strconv.Itoa(known-1) },
			unknown, unknown,
		}
		var took [3][]time.Duration
		for pair := range pairs {
			for _, kind := range rand.Perm(3) {
				one, err := p.refused(c, kinds[kind]())
				if err != nil {
					return err
				}
				if pair > 0 {
					took[kind] = append(took[kind], one)
				}
			}
		}
		difference, noise := compare(took[0], took[1]), compare(took[2], took[1])
		b.out.durations(fmt.Sprintf("wrong password less unknown name, %d each", len(took[0])), difference.String(),
			noise.String()+": unknown less unknown", "", aim{"no difference (99 %)", difference.none()}, goClient+", 1 connection")
		return nil
	})
}

// refused times a sign-in that must fail.
func (p *process) refused(c *connection, username string) (time.Duration, error) {
	c.buf = p.login(c.buf[:0], username, "not the passphrase of anybody")
	began := time.Now()
	status, err := c.status()
	took := time.Since(began)
	if err == nil && status != http.StatusUnauthorized {
		err = fmt.Errorf("a wrong password: status %d", status)
	}
	return took, err
}

// comparison is what two samples say of each other.
type comparison struct {
	means    time.Duration // difference
	medians  time.Duration // difference
	interval time.Duration // half of the 99 % confidence interval of means (Welch)
	spread   time.Duration // standard deviation of one measurement
	rank     float64       // probability that one of the first takes longer than one of the second (Mann-Whitney)
	p        float64       // of the rank sum, two-sided
}

// compare is made for large samples: both statistics are taken as normal.
func compare(a, b []time.Duration) comparison {
	meanA, varA := moments(a)
	meanB, varB := moments(b)
	deviation := math.Sqrt(varA/float64(len(a)) + varB/float64(len(b)))
	c := comparison{
		means: time.Duration(meanA - meanB), medians: median(a) - median(b),
		interval: time.Duration(2.576 * deviation), spread: time.Duration(math.Sqrt((varA + varB) / 2)),
	}
	c.rank, c.p = mannWhitney(a, b)
	return c
}

func moments(list []time.Duration) (mean, variance float64) {
	for _, d := range list {
		mean += float64(d) / float64(len(list))
	}
	for _, d := range list {
		variance += (float64(d) - mean) * (float64(d) - mean) / float64(len(list)-1)
	}
	return mean, variance
}

// mannWhitney ranks both samples together. Times are in nanoseconds, so ties
// are rare enough to pass over.
func mannWhitney(a, b []time.Duration) (rank, p float64) {
	sorted := slices.Sorted(slices.Values(b))
	larger := 0.0
	for _, d := range a {
		at, _ := slices.BinarySearch(sorted, d)
		larger += float64(at)
	}
	n, m := float64(len(a)), float64(len(b))
	z := (larger - n*m/2) / math.Sqrt(n*m*(n+m+1)/12)
	return larger / (n * m), math.Erfc(math.Abs(z) / math.Sqrt2)
}

// none tells whether neither statistic sees a difference that would come by
// chance less often than once in a hundred times.
func (c comparison) none() bool { return c.means.Abs() <= c.interval && c.p >= 0.01 }

func (c comparison) String() string {
	us := func(d time.Duration) string { return fmt.Sprintf("%+d µs", d.Microseconds()) }
	return fmt.Sprintf("means %s ± %d µs (99 %%), medians %s, one measurement ± %s, rank %.3f (p %.2f)",
		us(c.means), c.interval.Microseconds(), us(c.medians), brief(c.spread), c.rank, c.p)
}
