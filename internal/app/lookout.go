package app

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/keyward/keyward/internal/audit/siem"
	"github.com/keyward/keyward/internal/system"
)

// lookEvery is how old what the metrics tell of components and backlogs may be.
const lookEvery = time.Minute

// lookout keeps how all stands, as this server last saw it: whoever asks for metrics doesn't wait for
// a component that hangs.
type lookout struct {
	health *system.Health
	counts []count
	keep   func(system.HealthReport) // for keyward doctor
	latest atomic.Pointer[sight]
}

// count is how many there are of something, by its metric and, for a backlog, its queue.
type count struct {
	desc  *prometheus.Desc
	queue []string
	of    func(context.Context) (int64, error)
}

type sight struct {
	health system.HealthReport
	counts []int64 // below zero: unknown
}

var (
	upDesc = prometheus.NewDesc("keyward_component_up",
		"1 while a part of the service works, 0 while it has failed or doesn't answer. Parts that aren't set up have none.",
		[]string{"component"}, nil)
	degradedDesc = prometheus.NewDesc("keyward_component_degraded", "1 while a part of the service works, and needs attention.",
		[]string{"component"}, nil)
	checkDesc = prometheus.NewDesc("keyward_component_check_duration_seconds", "How long the last check of a part of the service took.",
		[]string{"component"}, nil)
	lookedDesc = prometheus.NewDesc("keyward_last_check_timestamp_seconds",
		"When this server last checked all parts of the service.", nil, nil)
	backlogDesc = prometheus.NewDesc("keyward_backlog_items", "What waits to be sent, forwarded or sealed, by its queue.",
		[]string{"queue"}, nil)
	openDesc = prometheus.NewDesc("keyward_rotations_open",
		"Tokens with a change of secrets that was begun and is not finished.", nil, nil)
)

func newLookout(e *engines, s *services, health *system.Health, tails []*siem.Tail, keep func(system.HealthReport)) *lookout {
	l := &lookout{health: health, keep: keep, counts: []count{
		{openDesc, nil, e.store.OpenRotations},
		{backlogDesc, []string{"mail"}, func(ctx context.Context) (int64, error) {
			n, err := e.store.WaitingMail(ctx)
			return int64(n), err
		}},
		{backlogDesc, []string{"webhooks"}, e.store.PendingDeliveries},
		{backlogDesc, []string{"audit_seal"}, func(ctx context.Context) (int64, error) {
			st, err := s.sealer.Status(ctx)
			return st.Unsealed, err
		}},
	}}
	for _, t := range tails {
		l.counts = append(l.counts, count{backlogDesc, []string{"audit_" + t.Name}, t.Behind})
	}
	return l
}

// look is a background task of each server.
func (l *lookout) look(ctx context.Context) error {
	seen := sight{l.health.Report(ctx), make([]int64, len(l.counts))}
	var errs []error
	for i, c := range l.counts {
		n, err := c.of(ctx)
		if err != nil {
			errs, n = append(errs, err), -1
		}
		seen.counts[i] = n
	}
	l.latest.Store(&seen)
	l.keep(seen.health)
	return errors.Join(errs...)
}

// Describe implements prometheus.Collector.
func (l *lookout) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{upDesc, degradedDesc, checkDesc, lookedDesc, backlogDesc, openDesc} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (l *lookout) Collect(out chan<- prometheus.Metric) {
	seen := l.latest.Load()
	if seen == nil {
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(lookedDesc, float64(seen.health.CheckedAt.UnixMilli())/1000)
	for _, c := range seen.health.Components {
		gauge(checkDesc, c.LatencyMS/1000, c.Name)
		if c.Status != system.NotConfigured {
			gauge(upDesc, oneIf(c.Status == system.OK || c.Status == system.Degraded), c.Name)
			gauge(degradedDesc, oneIf(c.Status == system.Degraded), c.Name)
		}
	}
	for i, n := range seen.counts {
		if n >= 0 {
			gauge(l.counts[i].desc, float64(n), l.counts[i].queue...)
		}
	}
}

// buildMetric says which program runs.
func buildMetric(version string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "keyward_build_info", Help: "1; its labels are the version of Keyward and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
}
