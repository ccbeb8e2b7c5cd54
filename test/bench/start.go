package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

// starting measures the time from a program's start to its first response.
func starting(ctx context.Context, b *bench) error {
	count := b.size(9, 1)
	var first []time.Duration
	for i := range count {
		took, err := b.startServer(ctx, filepath.Join(b.temp, fmt.Sprint("new-", i)))
		if err != nil {
			return err
		}
		first = append(first, took)
	}
	fill := fill{name: "existing", rows: storebench.Size{Organizations: 10, Users: 1000, Devices: 10_000, Sessions: 10_000, Audit: 10_000},
		caKey: piv.RSA3072, revoked: 1000}
	var data string
	if err := b.world(ctx, fill, func(w *world) error { data = w.data; return nil }); err != nil {
		return err
	}
	var again []time.Duration
	for range count {
		took, err := b.startServer(ctx, data)
		if err != nil {
			return err
		}
		again = append(again, took)
	}
	b.started("server, existing data, to first answer", again, atMost(300*time.Millisecond, median(again)))
	b.started("server, very first start (makes a CA key)", first, none)
	return b.remove(data)
}

func (b *bench) started(name string, ours []time.Duration, a aim) {
	b.out.durations(name, fmt.Sprintf("median %s, worst of %d %s", brief(median(ours)), len(ours), brief(slices.Max(ours))),
		"", "", a, goClient)
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return at(sorted, 50)
}

func (b *bench) startServer(ctx context.Context, data string) (time.Duration, error) {
	p, err := b.serve(ctx, data)
	if err != nil {
		return 0, err
	}
	took := time.Since(p.began)
	return took, p.stop()
}
