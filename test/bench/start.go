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

// starting measures from the start of a program to its first answer.
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
	var again, help, agent, version []time.Duration
	for range count {
		for _, one := range []struct {
			list *[]time.Duration
			run  func() (time.Duration, error)
		}{
			{&again, func() (time.Duration, error) { return b.startServer(ctx, data) }},
			{&help, func() (time.Duration, error) { return b.runOnce(ctx, "keyward", "version") }},
			{&agent, func() (time.Duration, error) { return b.startAgent(ctx) }},
			{&version, func() (time.Duration, error) { return b.runOnce(ctx, "keyward-agent", "--version") }},
		} {
			took, err := one.run()
			if err != nil {
				return err
			}
			*one.list = append(*one.list, took)
		}
	}
	b.started("server, existing data, to first answer", again, help, "keyward version", atMost(300*time.Millisecond, median(again)))
	b.started("server, very first start (makes a CA key)", first, help, "keyward version", none)
	b.started("agent, start to first answer", agent, version, "keyward-agent --version", atMost(50*time.Millisecond, median(agent)))
	return b.remove(data)
}

func (b *bench) started(name string, ours, raw []time.Duration, rawName string, a aim) {
	b.out.durations(name, fmt.Sprintf("median %s, worst of %d %s", brief(median(ours)), len(ours), brief(slices.Max(ours))),
		brief(median(raw))+" "+rawName, "", a, goClient)
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

// runOnce runs a program that does nothing: what starting costs by itself.
func (b *bench) runOnce(ctx context.Context, name string, args ...string) (time.Duration, error) {
	p, err := b.spawn(ctx, nil, nil, filepath.Join(b.bin, name), args...)
	if err != nil {
		return 0, err
	}
	err = <-p.done
	took := time.Since(p.began)
	p.done <- err
	return took, p.stop()
}

func (b *bench) startAgent(ctx context.Context, env ...string) (time.Duration, error) {
	p, err := b.agent(ctx, env...)
	if err != nil {
		return 0, err
	}
	took := time.Since(p.began)
	return took, p.stop()
}

// agent starts an agent and returns when it has answered.
func (b *bench) agent(ctx context.Context, env ...string) (*process, error) {
	p, err := b.spawn(ctx, nil, env, filepath.Join(b.bin, "keyward-agent"), "--dev", "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if err := p.await(ctx, p.listening("msg=listening", "address=")); err != nil {
		return nil, err
	}
	return p, answers(ctx, p.url("/health"))
}
