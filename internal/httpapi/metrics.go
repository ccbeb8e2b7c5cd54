package httpapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts requests. It has its own registry, to which other parts may add. A nil
// *Metrics counts nothing.
type Metrics struct {
	Registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	unrouted *routeMetrics
	web      *routeMetrics
}

// routeMetrics are the series of one operation. Each is made when it is first needed: most operations
// are rare, and each series costs the monitoring memory.
type routeMetrics struct {
	byClass [6]func() prometheus.Counter // by the status' first digit
	latency func() prometheus.Observer
}

// NewMetrics creates the registry, with the series of the Go runtime and the process.
func NewMetrics() *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "keyward_http_requests_total", Help: "Answered requests, by operation and class of status.",
		}, []string{"operation", "class"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "keyward_http_request_duration_seconds", Help: "Time to answer a request, by operation.",
			Buckets: []float64{.001, .005, .025, .1, .25, .5, 1, 2.5, 10},
		}, []string{"operation"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "keyward_http_requests_in_flight", Help: "Requests being answered now.",
		}),
	}
	m.Registry.MustRegister(m.requests, m.latency, m.inFlight,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.unrouted, m.web = m.route("none"), m.route("web")
	return m
}

// Handler serves the registry in the text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{})
}

func (m *Metrics) route(operation string) *routeMetrics {
	if m == nil {
		return nil
	}
	rm := &routeMetrics{latency: sync.OnceValue(func() prometheus.Observer { return m.latency.WithLabelValues(operation) })}
	for i, class := range []string{"", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		rm.byClass[i] = sync.OnceValue(func() prometheus.Counter { return m.requests.WithLabelValues(operation, class) })
	}
	return rm
}

func (m *Metrics) begin() {
	if m != nil {
		m.inFlight.Inc()
	}
}

func (m *Metrics) end(rt *route, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	rm := m.unrouted
	switch {
	case rt == webRoute:
		rm = m.web
	case rt != nil:
		rm = rt.metrics
	}
	if class := status / 100; class >= 1 && class <= 5 {
		rm.byClass[class]().Inc()
	}
	rm.latency().Observe(took.Seconds())
}
