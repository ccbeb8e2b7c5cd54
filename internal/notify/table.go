package notify

import "slices"

// Choice says whether a message is sent by mail.
type Choice string

// The choices.
const (
	Always Choice = "always" // security: regardless of the person's choice
	On     Choice = "on"     // unless the person turned it off
)

// Row says about a kind who is notified of what, and how.
type Row struct {
	Kind   Kind
	Of     string // the event, in words
	To     string // the recipients, in words
	Choice Choice
	// MailOnly: not shown on the page.
	MailOnly bool
	// Actions are the audit actions whose entries carry it; none: a task of the
	// leader sends it.
	Actions []string
}

// The recipients, in words.
const (
	account    = "the person"
	atFormer   = "the person, by mail to the previous address"
	owner      = "the token's owner"
	formerly   = "the previous owner"
	newOwner   = "the new owner"
	managers   = "the organization's managers; if there are none, global administrators"
	everyAdmin = "global administrators"
	managing   = "managers and global administrators"
)

// Table alone says who is notified of what. Nobody is notified of their own actions,
// except those that concern their account's security.
var Table = []Row{
	{AgentPaired, "an agent was paired with the account", account, Always, false, []string{"session.agent_paired"}},
	{AgentReplaced, "another of the person's agents was registered with the session", account, Always, false,
		[]string{"session.agent_registered"}},
	{AccountLocked, "failed sign-ins locked the account", account, Always, false, []string{"auth.lockout"}},
	{PasswordChanged, "the password was changed", account, Always, false, []string{"auth.password_changed"}},
	{PasswordReset, "an administrator reset the password", account, Always, false, []string{"user.password_reset"}},
	{EmailChanged, "the account's email address was changed", atFormer, Always, false,
		[]string{"user.updated"}},
	{Invitation, "an account was created; has the link to set its password", account, Always, true, []string{"user.invited"}},

	{TokenAssigned, "a token was assigned", newOwner, On, false,
		[]string{"hwkey.assigned", "hwkey.registered", "hwkey.imported"}},
	{TokenSetUp, "someone else set up the token", owner, Always, true, []string{"hwkey.enrolled"}},
	{TokenTaken, "the token was assigned to someone else, or to nobody", formerly, Always, false, []string{"hwkey.assigned"}},
	{TokenStatus, "someone else suspended the token, reported it lost, retired it or reactivated it", owner, Always, false,
		[]string{"hwkey.status_changed"}},
	{TokenReset, "someone else reset the token", owner, Always, false, []string{"hwkey.reset"}},
	{TokenUnblocked, "someone else set a new PIN", owner, Always, false, []string{"hwkey.rotation_committed"}},
	{SecretsReleased, "someone else was given the token's secrets", owner, Always, false, []string{"hwkey.secrets_released"}},

	{CertificateIssued, "someone else had a certificate issued for the token", owner, Always, false, []string{"certificate.issued"}},
	{CertificateRevoked, "someone else revoked a certificate of the token", owner, Always, false,
		[]string{"certificate.revoked", "user.updated"}},
	{CertificateExpires, "a certificate expires in 30, 14, 7, 3 or 1 days and was not renewed", owner, On, false, nil},
	{CertificateEnded, "a certificate has expired and was not renewed", owner, On, false, nil},
	{CertificatesExpireSummary, "the certificates that reached such a day, once a day", managers, On, false, nil},

	{AdminAdded, "an account was created, promoted or enabled as a global administrator", everyAdmin, Always, false,
		[]string{"user.created", "user.role_changed", "user.enabled"}},
	{BackupSettings, "the password, the store or another setting of backups was changed", everyAdmin, Always, false,
		[]string{"settings.changed"}},
	{CAChanged, "a CA was requested, installed, activated or retired", everyAdmin, Always, false,
		[]string{"ca.requested", "ca.installed", "ca.activated", "ca.retired"}},
	{CAEnding, "the CA needs a successor: its end would shorten certificates within 90 days", everyAdmin, On, false, nil},
	{ReleaseLimit, "someone asked for the secrets of too many tokens within an hour", everyAdmin + ", and the person's managers", Always,
		false, []string{"hwkey.secrets_released", "certificate.issued"}},
	{LicenseEnding, "the license expires in 30, 14, 7, 3 or 1 days (a trial: from 14 days), or has expired", everyAdmin, On, false, nil},
	{BackupFailed, "a backup or a restore failed", everyAdmin, On, false, []string{"backup.failed", "restore.failed"}},
	{DrillFailed, "a trial restore failed", everyAdmin, On, false, []string{"backup.drill_failed"}},
	{BackupOverdue, "a scheduled backup or trial restore was not made", everyAdmin, On, false, nil},
	{AuditSealBroken, "the audit log was changed from outside", everyAdmin, Always, false, nil},
	{StoresDisagree, "the database or the vault is older than the other expects", everyAdmin, Always, false, nil},
	{Digest, "what needs doing, once a week", managing, On, true, nil},
}

// Milestones are the days before the end of a certificate or a license on which people are
// notified; 0 is the end.
var Milestones = []int{0, 1, 3, 7, 14, 30}

// RowOf returns the row of a kind; false for a kind of a newer version.
func RowOf(k Kind) (Row, bool) {
	i := slices.IndexFunc(Table, func(r Row) bool { return r.Kind == k })
	if i < 0 {
		return Row{}, false
	}
	return Table[i], true
}

// ByMail reports whether someone with these choices gets a message by mail; false for
// a kind that is not in the table.
func ByMail(k Kind, choices map[Kind]bool) bool {
	r, ok := RowOf(k)
	if !ok {
		return false
	}
	chosen, chose := choices[k]
	return r.Choice == Always || !chose || chosen
}

// OnPage reports whether the page shows a message.
func OnPage(k Kind) bool {
	r, ok := RowOf(k)
	return ok && !r.MailOnly
}

// OfInstallation reports whether a message is about the installation, for all
// global administrators.
func (r Row) OfInstallation() bool { return r.To == everyAdmin }
