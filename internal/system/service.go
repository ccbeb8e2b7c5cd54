package system

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// Vault is the part of a vault engine that is reported on.
type Vault interface {
	vault.PKI
	State(ctx context.Context) vault.State
}

// Storage reports the server's files.
type Storage interface {
	Report(ctx context.Context) (StorageReport, error)
}

// Service is the domain's face to the edges.
type Service struct {
	Version     string
	SiteURL     string
	StartedAt   time.Time
	VaultEngine string // its name
	Database    Database
	Vault       Vault
	Storage     Storage
	Health      *Health
	Tasks       *Tasks
	License     func() LicenseReport
	Leads       func() bool // see Leadership
	Begun       *Begun
	Now         func() time.Time
}

// Info says what runs.
func (s *Service) Info() ServerInfo {
	info := ServerInfo{
		Version: s.Version, GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		StartedAt: s.StartedAt.UTC(), Uptime: max(0, s.Now().Sub(s.StartedAt)).Truncate(time.Second).String(),
		Engines: Engines{Database: s.Database.Engine(), Vault: s.VaultEngine}, SiteURL: s.SiteURL,
		Leads: s.Leads(),
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	for _, setting := range build.Settings {
		v := setting.Value
		switch setting.Key {
		case "vcs.revision":
			info.Commit = &v
		case "vcs.time":
			info.CommitAt = &v
		case "vcs.modified":
			modified := v == "true"
			info.Modified = &modified
		}
	}
	return info
}

// VaultReport queries the vault. It takes at most CheckTimeout; what is not
// answered by then is nil.
func (s *Service) VaultReport(ctx context.Context) VaultReport {
	ctx, cancel := context.WithTimeout(ctx, CheckTimeout)
	defer cancel()
	answered := make(chan VaultReport, 1)
	go func() {
		r := VaultReport{Engine: s.VaultEngine, State: string(s.Vault.State(ctx))}
		if ca, err := authority(ctx, s.Vault); err == nil {
			r.CA = &AuthorityReport{
				Subject: ca.Subject.String(), SerialNumber: hex.EncodeToString(ca.SerialNumber.Bytes()),
				NotBefore: ca.NotBefore.UTC(), NotAfter: ca.NotAfter.UTC(), KeyType: string(piv.KeyTypeOf(ca.PublicKey)),
			}
		}
		if list, err := s.Vault.CRL(ctx, vault.Active); err == nil {
			r.CRL = &CRLReport{list.Number, list.ThisUpdate.UTC(), list.NextUpdate.UTC()}
		}
		answered <- r
	}()
	select {
	case r := <-answered:
		return r
	case <-ctx.Done():
		return VaultReport{Engine: s.VaultEngine, State: string(vault.Disconnected)}
	}
}

func authority(ctx context.Context, pki vault.PKI) (*x509.Certificate, error) {
	active, err := vault.ActiveCA(ctx, pki)
	if err != nil {
		return nil, err
	}
	ca, err := x509.ParseCertificate(active.Chain[0])
	if err != nil {
		return nil, fault.New(fault.VaultUnavailable, "ca_unreadable",
			"The vault returned a CA certificate that can't be read. Ask an administrator to check the vault.").With(err)
	}
	return ca, nil
}
