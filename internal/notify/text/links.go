package text

import "net/url"

// The pages that messages link to.
const (
	profilePage      = "/profile"
	notificationPage = "/profile#notifications"
	tokensPage       = "/tokens"
	certificatesPage = "/certificates"
	peoplePage       = "/admin/people"
	stockPage        = "/admin/tokens"
	casPage          = "/admin/cas"
	auditPage        = "/admin/audit"
	licensePage      = "/system/license"
	backupsPage      = "/system/backups"
	healthPage       = "/system/health"
	invitationPage   = "/invitation"
)

func (w *words) tokenPage() string { return tokensPage + "/" + url.PathEscape(w.get("serial")) }

// certificatePage is the list when the certificate is unknown.
func (w *words) certificatePage() string {
	if serial := w.maybe("certificate"); serial != "" {
		return certificatesPage + "/" + url.PathEscape(serial)
	}
	return certificatesPage
}
