package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/vault"
)

// lookAtLicense asks the license service once the vault is known to be this
// installation's: a trial is recorded in it.
func (s *services) lookAtLicense(ctx context.Context) error {
	if !s.sessions.Signer.Loaded() {
		return nil
	}
	return s.license.Poll(ctx)
}

// licenseReport describes the state of the license and its service.
func licenseReport(cfg config.Config, st licensepolicy.Evaluation) system.LicenseReport {
	r := system.LicenseReport{Status: system.OK, License: string(st.Status), Service: cmp.Or(cfg.LicenseServiceURL, "embedded")}
	switch {
	case st.Status.Restricts():
		r.Status, r.Detail = system.Failed, "You can't add accounts, tokens or certificates until you upload a license "+
			"on the License page."
	case !st.Reached:
		r.Status, r.Detail = system.Degraded, "The license service is not responding. Nothing is restricted in the meantime."
	case st.ClockBehind:
		r.Status, r.Detail = system.Degraded, "The server's clock is behind the latest time it has seen, which the license is "+
			"judged by. Set the clock. If it is right now and was ahead before, upload a license that is issued now."
	case st.Status == license.Expiring:
		r.Status, r.Detail = system.Degraded, fmt.Sprintf("The license expires on %s.", st.EndsAt.UTC().Format(time.RFC3339))
	}
	return r
}

// licenseComponent is the health of the license.
func licenseComponent(cfg config.Config, l *licensepolicy.Service) system.Component {
	return system.Component{Name: "license", Check: func(context.Context) system.Finding {
		r := licenseReport(cfg, l.Latest())
		if r.Status == system.Failed { // the server itself works
			r.Status = system.Degraded
		}
		f := system.Finding{Status: r.Status, Detail: r.Detail}
		if r.Detail != "" {
			f.Code = "license" // the License page has the details
		}
		return f
	}}
}

// licenseMetrics report the license's state, as far as this server knows.
func licenseMetrics(l *licensepolicy.Service) []prometheus.Collector {
	gauge := func(name, help string, of func(licensepolicy.Evaluation) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return of(l.Latest()) })
	}
	return []prometheus.Collector{
		gauge("keyward_license_end_timestamp_seconds", "When the license or the trial ends; 0: unknown.",
			func(st licensepolicy.Evaluation) float64 {
				if st.EndsAt.IsZero() {
					return 0
				}
				return float64(st.EndsAt.Unix())
			}),
		gauge("keyward_license_restricted", "1 while the license lets no accounts, tokens or certificates be added; valid ones can be renewed.",
			func(st licensepolicy.Evaluation) float64 { return oneIf(st.Status.Restricts()) }),
		gauge("keyward_license_service_up", "1 while the license service answers.",
			func(st licensepolicy.Evaluation) float64 { return oneIf(st.Reached) }),
	}
}

// newLicensePort returns the license service of LICENSE_SERVICE_URL, or one in this
// process.
func newLicensePort(cfg config.Config, kv vault.KV, log *slog.Logger, now func() time.Time) (license.Port, error) {
	if elsewhere, err := RemoteLicense(cfg, log); elsewhere != nil || err != nil {
		return elsewhere, err
	}
	keys, err := builtInKeys(log)
	if err != nil {
		return nil, err
	}
	return &license.Service{Vault: kv, Keys: keys, Log: log, Now: now}, nil
}

// builtInKeys returns the vendor's public keys, and logs a warning if there are none.
func builtInKeys(log *slog.Logger) (license.Keys, error) {
	keys, err := license.BuiltIn()
	if err == nil && len(keys) == 0 {
		log.Warn("this program was built without the vendor's public key: it rejects every license")
	}
	return keys, err
}
