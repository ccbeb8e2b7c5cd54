// Package storetest is the one conformance suite of the domain's Store interfaces: every sentence
// of their comments is a case here, and every engine of package store passes all of them. New
// behaviour starts as a case here.
// case of this package.
package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/events"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/reminder"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

// Engine is everything that an engine of the store must do.
type Engine interface {
	audit.Store
	chain.Store
	intentlog.ReleaseDatabase
	account.OrganizationStore
	account.UserStore
	session.Store
	hwkey.Store
	cert.Store
	profile.Certificates
	intentlog.IssuanceDatabase
	webhook.Store
	hwkey.Directory
	report.Store
	settings.Keeper
	notify.Store
	reminder.Store
	mail.Store
	session.APIKeyStore
	system.Database
	system.Beginnings
	OpenRotations(ctx context.Context) (int64, error)
	PendingDeliveries(ctx context.Context) (int64, error)
	// Writable returns nil if the database takes writes now.
	Writable(ctx context.Context) error
	signon.Store
	// Admitted checks the actor of a request again.
	Admitted(ctx context.Context) error
	pki.SharedCRL
	rollback.Database
	backup.Store
	licensepolicy.Store
	events.Store
}

// Now is what the clock of an engine under test must show: the suite's times are relative to it.
var Now = time.Date(2026, 5, 4, 12, 30, 0, 123456000, time.UTC)

// Run tests an engine. open returns an empty engine whose clock shows Now; it is called once per
// case and closes what it opened by t.Cleanup. Cases run in parallel.
func Run(t *testing.T, open func(t *testing.T) Engine) {
	groups := []struct {
		name  string
		cases map[string]func(*testing.T, *fixture)
	}{
		{"audit", auditCases}, {"audit chain", chainCases}, {"organization", organizationCases}, {"user", userCases},
		{"session", sessionCases}, {"refresh", refreshCases}, {"hwkey", deviceCases},
		{"release", releaseCases}, {"import", importCases}, {"report", reportCases},
		{"certificate", certificateCases}, {"certificate order", certificateOrderCases}, {"sorted", sortedCases}, {"revocation", revocationCases},
		{"compromise", compromiseCases}, {"concurrency", concurrencyCases},
		{"webhook", webhookCases},
		{"settings", settingsCases}, {"lockout", lockoutCases}, {"notice", noticeCases}, {"rehash", rehashCases},
		{"account", accountCases}, {"logins", loginCases}, {"directory", directoryCases}, {"organization change", organizationChangeCases},
		{"session list", sessionListCases}, {"account races", accountRaces},
		{"apikey", apikeyCases}, {"admission", admissionCases}, {"agent", agentCases}, {"statistics", statisticsCases},
		{"signon", signonCases}, {"identity", identityCases}, {"crl", crlCases}, {"marks", markCases},
		{"backup", backupCases}, {"license", licenseCases}, {"tell", tellCases}, {"mail", mailCases}, {"history", historyCases},
		{"reminder", reminderCases}, {"event", eventCases},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for name, run := range g.cases {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					run(t, setup(t, open))
				})
			}
		})
	}
}

// fixture is an engine with two organizations and a few accounts.
type fixture struct {
	Engine
	a, b          account.Organization
	admin         account.User // of no organization
	manager, alex account.User // of a
	bea           account.User // of b
	seen          int64        // the newest audit entry before the case
}

func setup(t *testing.T, open func(t *testing.T) Engine) *fixture {
	t.Helper()
	f := &fixture{Engine: open(t)}
	f.a, f.b = f.organization(t, "Acme"), f.organization(t, "Bolt")
	f.admin = f.user(t, "admin", access.GlobalAdmin, nil)
	f.manager = f.user(t, "manager", access.OrgManager, &f.a.ID)
	f.alex = f.user(t, "alex", access.User, &f.a.ID)
	f.bea = f.user(t, "bea", access.User, &f.b.ID)
	f.seen = f.newest(t)
	return f
}

func (f *fixture) organization(t *testing.T, name string) account.Organization {
	t.Helper()
	return must.Get(f.InsertOrganization(t.Context(), account.Organization{
		Name: name, IsActive: true, EmailDomains: []string{"example.org"}, CreatedAt: Now, UpdatedAt: Now,
	}, entry(audit.OrganizationCreated, "organization")))(t)
}

func newAccount(name string, role access.Role, organizationID *int64) account.User {
	return account.User{
		Username: name, Name: name + " Ähm", Email: name + "@example.org", PasswordHash: "hash of " + name, Role: role,
		OrganizationID: organizationID, IsActive: true, AuthSource: account.Local,
		CreatedAt: Now, UpdatedAt: Now, PasswordChangedAt: Now,
	}
}

func (f *fixture) user(t *testing.T, name string, role access.Role, organizationID *int64) account.User {
	t.Helper()
	return must.Get(f.InsertUser(t.Context(), newAccount(name, role, organizationID), entry(audit.UserCreated, "user")))(t)
}

func (f *fixture) disabled(t *testing.T, name string) account.User {
	t.Helper()
	u := newAccount(name, access.User, &f.a.ID)
	u.IsActive = false
	return must.Get(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))(t)
}

// device registers an assigned token of alex in organization a.
func (f *fixture) device(t *testing.T, serial string, changes ...func(*hwkey.Device)) hwkey.Device {
	t.Helper()
	d := hwkey.Device{Serial: serial, Status: hwkey.Assigned, OwnerID: &f.alex.ID, OrganizationID: &f.a.ID, RegisteredAt: Now}
	for _, c := range changes {
		c(&d)
	}
	return must.Get(f.InsertDevice(t.Context(), d, entry(audit.HWKeyRegistered, "hwkey")))(t)
}

// record is a certificate for a token that the device helper registered.
func (f *fixture) record(serialNumber, hwkeySerial string, changes ...func(*cert.Certificate)) cert.Certificate {
	c := cert.Certificate{
		SerialNumber: serialNumber, HWKeySerial: hwkeySerial, Slot: "9a", Subject: "CN=alex", CommonName: "alex",
		SANs: []cert.SAN{{Type: "email", Value: "alex@example.org"}}, Issuer: "CN=Keyward Root", NotBefore: Now.Add(-30 * time.Second),
		NotAfter: Now.Add(time.Hour), KeyAlgorithm: "rsa-2048", PublicKeySHA256: "key " + serialNumber, CSRSHA256: "csr " + serialNumber,
		DER: []byte{0, 1, 0xff, 0xfe}, Status: cert.Issued, IssuedBy: "alex", Profile: "default",
		Attestation: &cert.Attestation{
			FirmwareVersion: "5.4.3", FormFactor: "Keychain (USB-A)", PINPolicy: "once", TouchPolicy: "never", Root: "R",
		},
		OwnerID: &f.alex.ID, OrganizationID: &f.a.ID,
	}
	for _, change := range changes {
		change(&c)
	}
	for _, u := range []account.User{f.alex, f.bea} {
		if c.OwnerID != nil && *c.OwnerID == u.ID && c.OwnerUsername == "" {
			c.OwnerUsername, c.OwnerName, c.OwnerEmail = u.Username, u.Name, u.Email
		}
	}
	return c
}

func (f *fixture) certificate(t *testing.T, c cert.Certificate) cert.Certificate {
	t.Helper()
	stored, existed := must.Both(f.InsertCertificate(t.Context(), c, entry(audit.CertificateIssued, "certificate")))(t)
	if existed {
		t.Fatalf("certificate %s existed already", c.SerialNumber)
	}
	return stored
}

// entry is about a target whose id the store fills in.
func entry(action audit.Action, targetType string) audit.Entry {
	return audit.Entry{Action: action, Outcome: audit.Success, Actor: audit.System, TargetType: targetType}
}

func (f *fixture) newest(t *testing.T) int64 {
	t.Helper()
	p := must.Get(f.ListAudit(t.Context(), access.All(), audit.Filter{}, page.Request{Limit: 1}))(t)
	if len(p.Items) == 0 {
		return 0
	}
	return p.Items[0].ID
}

// logged are the entries that the case has made so far, oldest first, as
// "action target_type target_id".
func (f *fixture) logged(t *testing.T) []string {
	t.Helper()
	p := must.Get(f.ListAudit(t.Context(), access.All(), audit.Filter{}, page.Request{Limit: page.MaxLimit}))(t)
	lines := []string{}
	for i := len(p.Items) - 1; i >= 0; i-- {
		if e := p.Items[i]; e.ID > f.seen {
			lines = append(lines, fmt.Sprintf("%s %s %s", e.Action, e.TargetType, e.TargetID))
		}
	}
	return lines
}

func inOrganization(o account.Organization) access.Scope {
	return access.Scope{Reach: access.Organization, OrganizationID: o.ID}
}

func ofUser(u account.User) access.Scope { return access.Scope{Reach: access.Own, UserID: u.ID} }
