package httpapi

import (
	"encoding/json"

	"github.com/keyward/keyward/internal/apikey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/crlcache"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/passwordpolicy"
	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/webhook"
)

// Services are the domain services that the handlers call. The zero Services
// is enough to register every route, and so to write the specification.
type Services struct {
	Sessions      *session.Service
	Users         *user.Service
	Organizations *organization.Service
	HWKeys        *hwkey.Service
	Certificates  *cert.Service
	CRL           *crlcache.Cache
	Audit         audit.Store
	Sealer        *chain.Sealer
	Notices       notice.Store
	Passwords     *passwordpolicy.Service
	APIKeys       *apikey.Service
	Webhooks      *webhook.Service
	System        *system.Service
	SignOn        *signon.Service
	Reports       *report.Service
}

// registerAll registers the operations of every resource.
func registerAll(s *Server, svc Services) {
	registerAuth(s, svc.Sessions, svc.SignOn)
	registerSessions(s, svc.Sessions)
	registerUsers(s, svc.Users)
	registerOrganizations(s, svc.Organizations)
	registerHWKeys(s, hwkeyHandlers{svc.HWKeys, svc.Certificates})
	registerCertificates(s, certificateHandlers{svc.Certificates})
	registerPKI(s, svc.CRL)
	registerAudit(s, svc.Audit)
	registerAuditExport(s, svc.Audit)
	registerAuditSeal(s, svc.Sealer)
	registerNotices(s, svc.Notices)
	registerPasswordPolicy(s, svc.Passwords)
	registerAPIKeys(s, svc.APIKeys)
	registerWebhooks(s, svc.Webhooks)
	registerSystem(s, svc.System)
	registerOIDC(s, svc.SignOn, svc.Passwords)
	registerOIDCSettings(s, svc.SignOn)
	registerReports(s, svc.Reports)
}

// writeJSON answers 200 with a value. One that does not encode is the server's
// mistake, answered and logged like any other.
func (s *Server) writeJSON(x *exchange, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		s.fail(x, nil, err)
		return
	}
	h := x.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	_, _ = x.Write(append(raw, '\n'))
}
