package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// beside measures how long requests wait without a backup, and while the server creates
// one.
func (k *keeper) beside(ctx context.Context, p *process) error {
	const token = "/api/hwkey/bench-00000007"
	requests := []asked{
		{"a token", "GET", token, k.world.admin, ""},
		{"50 audit entries", "GET", "/api/admin/audit?limit=50", k.world.admin, ""},
		{"a change of a label", "PATCH", token, k.world.admin, `{"label":"bench"}`},
		{"the CRL", "GET", "/api/pki/crl", "", ""},
	}
	var took time.Duration
	busy, err := p.while(ctx, requests, func() error {
		began := time.Now()
		defer func() { took = time.Since(began) }()
		return k.job(ctx, p)
	})
	if err != nil {
		return err
	}
	peak := p.memory("VmHWM")
	quiet, err := p.while(ctx, requests, func() error { return pause(ctx, min(took, 20*time.Second)) })
	if err != nil {
		return err
	}
	k.out.beside("beside a backup: ", requests, busy, quiet, "without one")
	k.out.durations("the server's backup beside them", fmt.Sprintf("%s, server's peak %d MB", brief(took), peak/1e6), "", "", none, "")
	return nil
}

// asked is a request that is sent repeatedly.
type asked struct{ name, method, path, bearer, body string }

// while sends requests, each over its own connection, until during returns.
func (p *process) while(ctx context.Context, requests []asked, during func() error) (times [][]time.Duration, err error) {
	over, end := context.WithCancel(ctx)
	defer end()
	times = make([][]time.Duration, len(requests))
	failures := make([]error, len(requests))
	var group sync.WaitGroup
	for i, r := range requests {
		group.Go(func() { times[i], failures[i] = p.until(over, r.method, r.path, r.bearer, r.body) })
	}
	err = during()
	end()
	group.Wait()
	return times, errors.Join(append(failures, err)...)
}

// beside adds a row for each request: its time during the load, and without it.
func (t *table) beside(what string, requests []asked, busy, quiet [][]time.Duration, otherwise string) {
	for i, r := range requests {
		with, without := at(busy[i], 99), at(quiet[i], 99)
		t.durations(what+r.name, fmt.Sprintf("p50 %s, p99 %s", brief(at(busy[i], 50)), brief(with)),
			fmt.Sprintf("p50 %s, p99 %s %s", brief(at(quiet[i], 50)), brief(without), otherwise),
			fmt.Sprintf("%.2f", without.Seconds()/with.Seconds()),
			aim{"p99 at most three times", with <= 3*without}, goClient+", 1 connection each, 10 ms between requests")
	}
}

// until sends the same request repeatedly, with short pauses, and returns the sorted
// times.
func (p *process) until(over context.Context, method, path, bearer, body string) ([]time.Duration, error) {
	c, err := p.dial(context.WithoutCancel(over))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.buf = p.request(nil, method, path, bearer, body)
	var times []time.Duration
	for first := true; first || over.Err() == nil; first = false {
		var answer bytes.Buffer
		began := time.Now()
		if err := c.send(&answer); err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		times = append(times, time.Since(began))
		_ = pause(over, 10*time.Millisecond)
	}
	slices.Sort(times)
	return times, nil
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// job has the server create a backup, and waits until it is verified.
func (k *keeper) job(ctx context.Context, p *process) error {
	var body bytes.Buffer
	if err := p.do(ctx, "POST", "/api/backup/trigger", k.world.admin, `{"type":"full"}`, &body); err != nil {
		return err
	}
	for {
		var job struct {
			ID     int64  `json:"job_id"`
			Status string `json:"status"`
			Error  string `json:"error_message"`
		}
		if err := json.Unmarshal(body.Bytes(), &job); err != nil {
			return err
		}
		switch job.Status {
		case "Completed":
			return nil
		case "Failed":
			return errors.New(job.Error)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		body.Reset()
		if err := p.do(ctx, "GET", fmt.Sprintf("/api/backup/jobs/%d", job.ID), k.world.admin, "", &body); err != nil {
			return err
		}
	}
}
