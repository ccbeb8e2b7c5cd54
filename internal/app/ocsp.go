package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/system"
)

// renewOCSP keeps a signer ready where certificates name the responder, or somebody has asked it.
func (s *services) renewOCSP(ctx context.Context) error {
	if !s.ocspNamed && !s.ocsp.Ready() {
		return nil
	}
	return s.ocsp.Renew(ctx)
}

// authorityMayDiffer forgets what was known of the CA, which a restore may have replaced.
func (s *services) authorityMayDiffer(ctx context.Context) error {
	return errors.Join(s.crl.Reload(ctx), s.renewOCSP(ctx))
}

// ocspWarning is how long before a signer's end health warns: its renewal has failed for days.
const ocspWarning = 7 * 24 * time.Hour

// ocspComponent is the health of the OCSP responder, where certificates name it.
func ocspComponent(r *ocsp.Responder, named bool, now func() time.Time) system.Component {
	return system.Component{Name: "ocsp", Check: func(context.Context) system.Finding {
		switch end, ok := signersEnd(r.Signers(), now()); {
		case !named, ok && end.IsZero():
			// Nobody is told to ask; or the CA itself ends, of which ca_crl warns.
		case !ok || !now().Before(end):
			return system.Finding{Status: system.Degraded, Code: "ocsp_no_signer",
				Detail: "Keyward can't answer OCSP requests: the CA has not certified its signer. The log says why; " +
					"with VAULT_ADDR, run keyward vault setup."}
		case end.Sub(now()) < ocspWarning:
			return system.Finding{Status: system.Degraded, Code: "ocsp_signer_ends", Params: map[string]any{"at": end.UTC().Format(time.RFC3339)},
				Detail: "The certificate of the OCSP signer ends on " + end.UTC().Format(time.RFC3339) + ", and can't be renewed. " +
					"The log says why."}
		}
		return system.Finding{Status: system.OK}
	}}
}

// signersEnd returns when the first signer ends that gets no successor in time: none that ends with its CA. ok:
// there are signers.
func signersEnd(signers []ocsp.Signer, now time.Time) (end time.Time, ok bool) {
	for _, s := range signers {
		if !(s.Last && now.Before(s.NotAfter)) && (end.IsZero() || s.NotAfter.Before(end)) {
			end = s.NotAfter
		}
	}
	return end, len(signers) > 0
}

// newOCSPMetrics counts answers and reports the signer's end.
func newOCSPMetrics(r *ocsp.Responder) []prometheus.Collector {
	answers := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "keyward_ocsp_responses_total",
		Help: "Certificates answered for by OCSP, by status and by source (cache or signed); and OCSP's own errors.",
	}, []string{"status", "source"})
	r.Counted = func(status, source string) { answers.WithLabelValues(status, source).Inc() }
	return []prometheus.Collector{answers, signerEnd{r}}
}

// signerEnd reports until when the signer of a CA signs.
type signerEnd struct{ r *ocsp.Responder }

var signerEndDesc = prometheus.NewDesc("keyward_ocsp_signer_not_after_timestamp_seconds",
	"When the certificate of the OCSP signer ends, by its CA.", []string{"id"}, nil)

// Describe implements prometheus.Collector.
func (signerEnd) Describe(out chan<- *prometheus.Desc) { out <- signerEndDesc }

// Collect implements prometheus.Collector.
func (s signerEnd) Collect(out chan<- prometheus.Metric) {
	for _, signer := range s.r.Signers() {
		out <- prometheus.MustNewConstMetric(signerEndDesc, prometheus.GaugeValue, float64(signer.NotAfter.Unix()), signer.CA)
	}
}
