package app

import (
	"context"
	"crypto/x509"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// lookForCAs follows what other servers do to the CAs.
func (s *services) lookForCAs(ctx context.Context) error {
	return errors.Join(s.crl.Look(ctx), s.cas.Refresh(ctx))
}

// caMetrics report the ends of CAs and of their lists, as last known.
type caMetrics struct{ s *services }

var (
	caEndDesc = prometheus.NewDesc("keyward_ca_not_after_timestamp_seconds", "When a CA's certificate ends, by its state.",
		[]string{"id", "state"}, nil)
	crlEndDesc = prometheus.NewDesc("keyward_crl_next_update_timestamp_seconds", "Until when a CA's revocation list is valid.",
		[]string{"id"}, nil)
)

// Describe implements prometheus.Collector.
func (caMetrics) Describe(out chan<- *prometheus.Desc) { out <- caEndDesc; out <- crlEndDesc }

// Collect implements prometheus.Collector.
func (m caMetrics) Collect(out chan<- prometheus.Metric) {
	for _, ca := range m.s.crl.Known() {
		if len(ca.Chain) == 0 {
			continue
		}
		if cert, err := x509.ParseCertificate(ca.Chain[0]); err == nil {
			out <- prometheus.MustNewConstMetric(caEndDesc, prometheus.GaugeValue, float64(cert.NotAfter.Unix()), ca.ID,
				string(m.s.cas.StateOf(ca, cert)))
		}
		if end := m.s.crl.NextUpdate(ca.ID); !end.IsZero() {
			out <- prometheus.MustNewConstMetric(crlEndDesc, prometheus.GaugeValue, float64(end.Unix()), ca.ID)
		}
	}
}
