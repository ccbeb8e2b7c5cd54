package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

func (b *bench) remove(path string) error { return os.RemoveAll(path) }

// beside starts a bare handler that serves the server's own response.
func (b *bench) beside(ctx context.Context, p *process, path, bearer string, use func(bare *process, answer []byte) error) (err error) {
	var answer bytes.Buffer
	if err := p.do(ctx, "GET", path, bearer, "", &answer); err != nil {
		return err
	}
	bare, err := b.bare(ctx, answer.Bytes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()
	return use(bare, answer.Bytes())
}

// me measures authenticated requests with 100,000 recorded sessions, 10,000 of them in
// use.
func me(ctx context.Context, b *bench) error {
	rows := storebench.Size{Organizations: 100, Users: b.size(20_000, 200), Sessions: b.size(100_000, 1000)}
	var tokens []string
	prepare := func(w *world) (err error) {
		tokens, err = w.tokens(ctx, rows.Sessions/10)
		return err
	}
	return b.serving(ctx, fill{name: "me", rows: rows, caKey: piv.ECP256}, nil, prepare, func(_ *world, p *process) error {
		args, err := b.tokenScript(tokens)
		if err != nil {
			return err
		}
		return b.beside(ctx, p, "/api/auth/me", tokens[0], func(bare *process, _ []byte) error {
			ours, raw, err := b.loads(ctx, p, bare, "/api/auth/me", args...)
			if err != nil {
				return err
			}
			least := 15_000.0
			if b.on.postgres {
				least = 8_000
			}
			name := fmt.Sprintf("GET /api/auth/me, %d sessions", rows.Sessions)
			b.out.rates(name, ours, "bare net/http", raw, atLeast(least, ours.rate(), "/s"), wrkClient)
			return nil
		})
	})
}

// loads runs wrk against the server and the bare handler in turn.
func (b *bench) loads(ctx context.Context, p, bare *process, path string, args ...string) (ours, raw sample, err error) {
	if !b.quick { // warm up
		if _, err := p.wrk(ctx, time.Second, path, args...); err != nil {
			return ours, raw, err
		}
	}
	return versus(b.rounds(),
		func() (sample, error) { return p.wrk(ctx, b.spell(), path, args...) },
		func() (sample, error) { return bare.wrk(ctx, b.spell(), path, args...) })
}

// publishing measures fetches of the cached CRL.
func publishing(ctx context.Context, b *bench) error {
	for _, revoked := range []int{1, 10_000} {
		f := fill{name: fmt.Sprint("crl-", revoked), rows: storebench.Size{Users: 1, Organizations: 1}, caKey: piv.RSA3072, revoked: revoked}
		err := b.serving(ctx, f, nil, nil, func(_ *world, p *process) error {
			const path = "/api/pki/crl"
			return b.beside(ctx, p, path, "", func(bare *process, crl []byte) error {
				ours, raw, err := b.loads(ctx, p, bare, path)
				if err != nil {
					return err
				}
				name := fmt.Sprintf("GET /api/pki/crl, %d revoked (%d bytes)", revoked, len(crl))
				b.out.rates(name, ours, "bare net/http", raw, atLeast(0.9, ours.rate()/raw.rate(), ""), wrkClient)
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// listing measures the first page and one far down.
func listing(ctx context.Context, b *bench) error {
	size := b.size(1_000_000, 1000)
	rows := storebench.Size{Organizations: 10, Users: max(10, size/100), Devices: size, Sessions: 1}
	return b.serving(ctx, fill{name: "list", rows: rows, caKey: piv.ECP256}, nil, nil, func(w *world, p *process) error {
		const first = "/api/hwkey?limit=50"
		if err := b.list(ctx, w, p, fmt.Sprintf("50 of %d tokens, first page", size), first); err != nil {
			return err
		}
		deep := first + "&cursor=" + page.Cursor(int64(size/10))
		return b.list(ctx, w, p, fmt.Sprintf("50 of %d tokens, a tenth from the end", size), deep)
	})
}

func (b *bench) list(ctx context.Context, w *world, p *process, name, path string) error {
	times, err := p.latencies(ctx, b.size(1000, 10), "GET", path, w.admin)
	if err != nil {
		return err
	}
	b.out.durations(name, fmt.Sprintf("p50 %s, p99 %s", brief(at(times, 50)), brief(at(times, 99))), "", "",
		aim{"p99 ≤ 10 ms", at(times, 99) <= 10*time.Millisecond}, goClient+", 1 connection")
	return nil
}
