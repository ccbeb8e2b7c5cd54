package system

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// CheckTimeout is the time limit for a component's check.
const CheckTimeout = 2 * time.Second

// Status is the state of a component.
type Status string

// The statuses, from good to bad.
const (
	OK            Status = "ok"
	NotConfigured Status = "not_configured"
	Degraded      Status = "degraded"  // works, but needs attention
	TimedOut      Status = "timed_out" // no answer within CheckTimeout
	Failed        Status = "failed"
)

// Overall status of a report, besides OK and Degraded.
const Unavailable Status = "unavailable" // a vital component has failed

// Finding is the result of a check.
type Finding struct {
	Status Status
	Detail string // for people; without secrets and causes of internal errors
	// Code identifies the sentence of Detail, and Params its values, so that a
	// page can translate it.
	Code   string
	Params map[string]any
}

// Component is a part of the service that the health report checks.
type Component struct {
	Name string
	// Vital: if it fails, the service is unavailable, not just degraded.
	Vital bool
	// Check returns the component's state. It should end with the context; if
	// it does not, nobody waits for it, and it is not called again until it has
	// returned.
	Check func(ctx context.Context) Finding
}

// ComponentReport is a component's line of the report.
type ComponentReport struct {
	Name      string  `json:"name"`
	Status    Status  `json:"status" enum:"ok,not_configured,degraded,timed_out,failed"`
	LatencyMS float64 `json:"latency_ms" doc:"how long the check took"`
	Detail    string  `json:"detail" doc:"empty when there is nothing to say"`
	// Code and Params are for translations.
	Code   string         `json:"code,omitempty" doc:"of the sentence in detail, for translations"`
	Params map[string]any `json:"params,omitempty" doc:"the values in that message"`
}

// HealthReport is the state of all components.
type HealthReport struct {
	Status     Status            `json:"status" enum:"ok,degraded,unavailable" doc:"of all components together"`
	CheckedAt  time.Time         `json:"checked_at"`
	Components []ComponentReport `json:"components" nullable:"false"`
}

// Health checks components. Make it with NewHealth.
type Health struct {
	now     func() time.Time
	timeout time.Duration
	watched []*watched
}

// NewHealth makes a Health of components, in the order of the report.
func NewHealth(now func() time.Time, components ...Component) *Health {
	h := &Health{now: now, timeout: CheckTimeout}
	for _, c := range components {
		h.watched = append(h.watched, &watched{Component: c})
	}
	return h
}

// Report checks all components at once. It takes as long as the slowest of
// them, but at most CheckTimeout.
func (h *Health) Report(ctx context.Context) HealthReport {
	r := HealthReport{Status: OK, CheckedAt: h.now().UTC(), Components: make([]ComponentReport, len(h.watched))}
	var wg sync.WaitGroup
	for i, w := range h.watched {
		wg.Go(func() { r.Components[i] = w.ask(ctx, h.timeout) })
	}
	wg.Wait()
	for i, w := range h.watched {
		switch s := r.Components[i].Status; {
		case s == OK || s == NotConfigured:
		case w.Vital && s != Degraded:
			r.Status = Unavailable
		case r.Status == OK:
			r.Status = Degraded
		}
	}
	return r
}

// watched is a component and its current check: however many callers ask about
// a hanging one, a single goroutine waits for it.
type watched struct {
	Component
	mu  sync.Mutex
	run *run
}

type run struct {
	done    chan struct{}
	started time.Time
	found   Finding       // after done
	took    time.Duration // after done
}

func (w *watched) ask(ctx context.Context, timeout time.Duration) ComponentReport {
	r := w.join(ctx, timeout)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-r.done:
		return ComponentReport{w.Name, r.found.Status, milliseconds(r.took), r.found.Detail, r.found.Code, r.found.Params}
	case <-timer.C:
	case <-ctx.Done():
	}
	return ComponentReport{w.Name, TimedOut, milliseconds(time.Since(r.started)), "It did not respond in time.", "timed_out", nil}
}

// join starts a check, or joins the current one.
func (w *watched) join(ctx context.Context, timeout time.Duration) *run {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.run != nil {
		return w.run
	}
	r := &run{done: make(chan struct{}), started: time.Now()}
	w.run = r
	// The caller may leave while others wait for the same result.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	go func() {
		defer cancel()
		r.found = w.check(ctx)
		r.took = time.Since(r.started)
		if ctx.Err() != nil && r.found.Status != OK { // it respected the time limit itself
			r.found = Finding{Status: TimedOut, Code: "timed_out", Detail: "It did not respond in time."}
		}
		w.mu.Lock()
		w.run = nil
		w.mu.Unlock()
		close(r.done)
	}()
	return r
}

func (w *watched) check(ctx context.Context) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			f = Finding{Status: Failed, Detail: fmt.Sprintf("The check of %s failed. See the server's log.", w.Name)}
		}
	}()
	return w.Check(ctx)
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
