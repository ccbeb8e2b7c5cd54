// Package resource holds the operations of the API, one or a few files per resource.
// Each registers its routes on the server of package httpapi, which has authenticated
// and authorized the caller before a handler runs, and calls a domain service.
package resource

import (
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/events"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/profile/preview"
	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/webhook"
)

// Services are the domain services that the handlers call. The zero Services suffices
// to register every route, and so to generate the specification.
type Services struct {
	Sessions      *session.Service
	Users         *account.Users
	Organizations *account.Organizations
	HWKeys        *hwkey.Service
	Certificates  *cert.Service
	Profiles      *profile.Service
	Preview       *preview.Service
	CAs           *ca.Service
	CRL           *pki.CRLCache
	ParentCRLs    *pki.ParentCRLs
	OCSP          *ocsp.Responder
	Audit         audit.Store
	Sealer        *chain.Sealer
	VerifyAudit   VerifyAudit
	Notices       notify.Store
	Events        *events.Hub
	Passwords     *settings.PasswordPolicies
	Views         *settings.Views
	APIKeys       *session.APIKeys
	Webhooks      *webhook.Service
	System        *system.Service
	SignOn        *signon.Service
	Reports       *report.Service
	Recovery      *rollback.Guard
	Restorer      *backup.Restorer
	BackupJobs    *backup.Runner
	BackupWatch   *backup.Watch
	Backups       *backup.Service
	License       *licensepolicy.Service
	Mail          *mail.Service

	exports *exports // for tests; nil: newExports
}

// Register adds the operations of every resource to the server.
func Register(s *httpapi.Server, svc Services) {
	registerAuth(s, svc.Sessions, svc.SignOn)
	registerSessions(s, svc.Sessions)
	registerUsers(s, svc.Users)
	registerOrganizations(s, svc.Organizations)
	registerHWKeys(s, hwkeyHandlers{svc.HWKeys, svc.Certificates})
	registerCertificates(s, certificateHandlers{svc.Certificates})
	registerUnrecorded(s, certificateHandlers{svc.Certificates})
	registerProfiles(s, profileHandlers{svc.Profiles, svc.Organizations, svc.HWKeys, svc.Certificates})
	registerPreview(s, svc.Preview)
	registerCAs(s, caHandlers{svc.CAs, svc.ParentCRLs})
	registerPKI(s, svc.CRL, svc.ParentCRLs)
	registerOCSP(s, svc.OCSP)
	registerAudit(s, svc.Audit)
	registerAuditExport(s, svc)
	registerAuditSeal(s, svc.Sealer)
	registerAuditVerify(s, svc.VerifyAudit)
	registerNotices(s, svc.Notices)
	registerViews(s, svc.Views)
	registerEvents(s, svc.Events)
	registerPasswordPolicy(s, svc.Passwords)
	registerAPIKeys(s, svc.APIKeys)
	registerWebhooks(s, svc.Webhooks)
	registerSystem(s, svc.System)
	registerRecovery(s, svc.Recovery)
	registerOIDC(s, svc.SignOn, svc.Passwords)
	registerOIDCSettings(s, svc.SignOn)
	registerReports(s, svc.Reports)
	registerBackupJobs(s, svc.BackupJobs)
	registerBackupSettings(s, svc.Backups, svc.BackupWatch)
	registerBackupObjects(s, svc.Backups, svc.BackupJobs)
	registerRestore(s, svc.Restorer)
	registerLicense(s, svc.License)
	registerMail(s, svc.Mail)
	s.TakeBack()
}

//go:generate go run ../../../cmd/keyward openapi --output ../../../api/backend.yaml

// Spec returns the OpenAPI 3.1 description of the backend, in YAML. It is the same for
// every build of the same code.
func Spec() ([]byte, error) { return described().OpenAPI().YAML() }

func described() *httpapi.Server {
	s := httpapi.New(httpapi.Options{})
	Register(s, Services{})
	return s
}
