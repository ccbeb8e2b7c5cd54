package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

// scaling measures what one, two and three servers on the same database and
// vault do together, and what limits them: how busy the machine was, and what
// one operation costs whom. The clients share themselves out among the servers;
// there is no balancer.
func scaling(ctx context.Context, b *bench) error {
	devices := b.size(6000, 100)
	rows := storebench.Size{Organizations: 20, Users: 1000, Devices: devices, Sessions: b.size(100_000, devices)}
	people, err := newSigners(rows)
	if err != nil {
		return err
	}
	prepare := func(w *world) error { return people.prepare(ctx, w) }
	f := fill{name: "replicas", rows: rows, caKey: piv.ECP256}
	return b.serving(ctx, f, nil, prepare, func(w *world, first *process) (err error) {
		servers := []*process{first}
		for len(servers) < 3 {
			p, failed := b.serve(ctx, w.data, w.env...)
			if failed != nil {
				return failed
			}
			defer func() { err = errors.Join(err, p.stop()) }()
			servers = append(servers, p)
		}
		for _, p := range servers {
			if err := p.idle(ctx); err != nil {
				return err
			}
		}
		own := func(p *process, buf []byte, i int64) ([]byte, error) {
			return p.request(buf, "GET", "/api/auth/me", people.tokens[i%int64(len(people.tokens))], ""), nil
		}
		if err := b.together(ctx, "GET /api/auth/me", servers, own); err != nil {
			return err
		}
		return b.together(ctx, "CSRs signed, CA ec-p256", servers, signings(people.bodies, people.tokens))
	})
}

// together loads one, two and three servers in turn.
func (b *bench) together(ctx context.Context, name string, servers []*process, next next) error {
	samples, idle := make([]sample, len(servers)), make([]cores, len(servers))
	for round := range b.rounds() + 1 {
		for n := range servers {
			before := readCores()
			s, err := load(ctx, servers[:n+1], 64, b.spell(), next)
			if err != nil {
				return err
			}
			if round == 0 && !b.quick { // warm up
				continue
			}
			after := readCores()
			samples[n] = samples[n].add(s)
			idle[n] = cores{idle[n].idle + after.idle - before.idle, idle[n].all + after.all - before.all}
		}
	}
	for n, s := range samples {
		ours := s.cost.all().Seconds() / (s.took.Seconds() * float64(runtime.NumCPU()))
		b.out.add(row{of: fmt.Sprintf("%s, %d of 3 servers", name, n+1), measured: fmt.Sprintf("%.0f/s", s.rate()),
			raw:   fmt.Sprintf("cores: %.0f %% ours, %.0f %% idle", 100*ours, 100*idle[n].idle.Seconds()/max(idle[n].all.Seconds(), 0.01)),
			cpu:   fmt.Sprintf("%s + %s client", s.each(), brief(s.cost[inClient]/time.Duration(max(s.ops, 1)))),
			alone: fmt.Sprintf("%.0f/s", s.alone()), client: goClient + ", 64 connections"})
	}
	return nil
}
