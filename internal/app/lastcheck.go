package app

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/system"
)

// lastCheckFile is where a server leaves what it last saw, for keyward doctor: it can be read while
// the server runs, and after it has died.
const lastCheckFile = "last-check.json"

// lastCheck is the content of that file.
type lastCheck struct {
	Leads  bool                `json:"leads"`
	Health system.HealthReport `json:"health"`
	Dates  []date              `json:"dates"`
}

// date is when something ends or last happened.
type date struct {
	Of dated     `json:"of"`
	ID string    `json:"id,omitempty"` // the CA's
	At time.Time `json:"at"`
}

// dated is what has a date.
type dated string

const (
	caEnds     dated = "certificate authority"
	crlEnds    dated = "revocation list"
	signerEnds dated = "OCSP signer"
	licenseEnd dated = "license"
	lastBackup dated = "last backup"
	lastDrill  dated = "last trial restore"
)

// dates are those that this server knows.
func (s *services) dates() (list []date) {
	for _, known := range s.crl.Known() {
		if len(known.Chain) == 0 {
			continue
		}
		cert, err := x509.ParseCertificate(known.Chain[0])
		if err != nil {
			continue
		}
		switch s.cas.StateOf(known, cert) {
		case ca.Active:
			list = append(list, date{caEnds, known.ID, cert.NotAfter.UTC()})
		case ca.Ended:
			continue // nothing of it is needed any more
		case ca.Requested, ca.Ready, ca.Retiring:
		}
		if end := s.crl.NextUpdate(known.ID); !end.IsZero() {
			list = append(list, date{crlEnds, known.ID, end.UTC()})
		}
	}
	if end, ok := signersEnd(s.ocsp.Signers(), time.Now()); ok && !end.IsZero() {
		list = append(list, date{Of: signerEnds, At: end.UTC()})
	}
	if st := s.license.Latest(); !st.EndsAt.IsZero() {
		list = append(list, date{Of: licenseEnd, At: st.EndsAt.UTC()})
	}
	seen, _ := s.watch.Latest()
	if seen.Succeeded != nil {
		list = append(list, date{Of: lastBackup, At: seen.Succeeded.FinishedAt.UTC()})
	}
	if seen.Verified != nil {
		list = append(list, date{Of: lastDrill, At: seen.Verified.FinishedAt.UTC()})
	}
	return list
}

// keepChecks returns what writes each look at all parts into the data directory.
func keepChecks(cfg config.Config, s *services, log *slog.Logger) func(system.HealthReport) {
	failed := false
	return func(report system.HealthReport) {
		content, err := json.Marshal(lastCheck{s.leads.Leads(), report, s.dates()})
		if err == nil {
			err = durable.Replace(filepath.Join(cfg.Data, lastCheckFile), content, 0o600)
		}
		if err != nil && !failed {
			log.Warn("keyward doctor can't read what this server sees", "error", err)
		}
		failed = err != nil
	}
}

// readLastCheck returns nil if no server has ever run here.
func readLastCheck(cfg config.Config) (*lastCheck, error) {
	content, err := os.ReadFile(filepath.Join(cfg.Data, lastCheckFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is none
	}
	var last lastCheck
	if err == nil {
		err = json.Unmarshal(content, &last)
	}
	return &last, err
}
