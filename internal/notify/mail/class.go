package mail

import "github.com/keyward/keyward/internal/fault"

// Class says why an attempt failed, for people and programs. It never contains the
// server's words.
type Class string

// The classes.
const (
	NameNotResolved  Class = "name_not_resolved" // DNS
	ConnectFailed    Class = "connect_failed"
	TLSFailed        Class = "tls_failed"     // certificate or handshake
	TLSRefused       Class = "tls_refused"    // the server does not offer STARTTLS
	TLSRequired      Class = "tls_required"   // the server demands it
	HeloRefused      Class = "helo_refused"   // the name that Keyward sends in EHLO
	AuthFailed       Class = "auth_failed"    // username or password
	AuthNeedsTLS     Class = "auth_needs_tls" // the password or token would go in the clear
	AuthRequired     Class = "auth_required"
	AuthNotOffered   Class = "auth_not_offered"    // none offered
	AuthUnsupported  Class = "auth_unsupported"    // none that Keyward supports
	TokenMissing     Class = "oauth_token_missing" // the server demands one (XOAUTH2)
	TokenRefused     Class = "oauth_token_refused"
	Unavailable      Class = "temporarily_unavailable" // the server says so
	SenderRefused    Class = "sender_refused"
	RecipientRefused Class = "recipient_refused" // permanently: there is no such mailbox
	MailboxFull      Class = "mailbox_full"
	Greylisted       Class = "greylisted" // the message, temporarily
	TooLarge         Class = "too_large"
	MessageRefused   Class = "message_refused"
	TimedOut         Class = "timeout"
	ConnectionLost   Class = "connection_lost" // no answer to the message: it may have arrived
	LinkExpired      Class = "link_expired"    // the invitation is used up, replaced or too old
	UnknownPerson    Class = "unknown_person"  // disabled, moved, or the address has changed
	NotTried         Class = "not_tried"       // mail was off, or no server ran, for the whole time
	Outdated         Class = "outdated"        // it was pending in an older database, and may have been sent since
)

// Classes lists them all.
var Classes = []Class{
	NameNotResolved, ConnectFailed, TLSFailed, TLSRefused, TLSRequired, HeloRefused, AuthFailed, AuthNeedsTLS, AuthRequired,
	AuthNotOffered, AuthUnsupported, TokenMissing, TokenRefused, Unavailable, SenderRefused, RecipientRefused, MailboxFull,
	Greylisted, TooLarge, MessageRefused, TimedOut, ConnectionLost, LinkExpired, UnknownPerson, NotTried, Outdated,
}

// Refusal is why a message was not sent, as an error without the server's words.
type Refusal struct {
	Class Class
	Reply string // the codes of its answer, "550 5.1.1"; empty: no answer
	// Server: the server or the settings are the cause, so every other message
	// would be refused, too.
	Server bool
	// Final: retrying is useless.
	Final bool
	// Over: the connection is unusable.
	Over bool
	// Stale: a reused connection was over before the server saw this message, so a
	// new one may succeed.
	Stale bool
	// Rules: refused by the server's rules, usually because of the sender: if several
	// recipients in a row are, every other message would be, too.
	Rules bool
}

// ofSettings reports a refused password: repeating it would lock the account, or get
// this host blocked.
func (r *Refusal) ofSettings() bool { return r.Class == AuthFailed }

// Error implements error.
func (r *Refusal) Error() string {
	if r.Reply == "" {
		return "mail: " + string(r.Class)
	}
	return "mail: " + string(r.Class) + " (" + r.Reply + ")"
}

// problem explains the refusal to a person who tested the settings.
func (r *Refusal) problem(host string) *fault.Error {
	f := *r.explained()
	f.Params = fault.Params{"host": host, "reply": r.Reply}
	return &f
}

func (r *Refusal) explained() *fault.Error {
	switch r.Class {
	case NameNotResolved:
		return fault.New(fault.MailFailed, "name_not_resolved",
			"The SMTP server's name can't be resolved. Check the host name, and DNS on the Keyward server.")
	case TLSFailed:
		return fault.New(fault.MailFailed, "tls_failed",
			"Couldn't establish a trusted TLS connection to the SMTP server. Check that the host matches its "+
				"certificate, that the certificate has not expired, that your own CA is in ca_pem, and that the "+
				"port matches the encryption.")
	case TLSRefused:
		return fault.New(fault.MailFailed, "tls_refused",
			"The SMTP server does not offer STARTTLS. Use its TLS port (usually 465) with security tls, or turn on STARTTLS there.")
	case TLSRequired:
		return fault.New(fault.MailFailed, "tls_required",
			"The SMTP server requires TLS. Choose starttls, or tls with its TLS port (usually 465).")
	case HeloRefused:
		return fault.New(fault.MailFailed, "helo_refused",
			"The SMTP server refused the name by which Keyward introduces itself (EHLO). Set SMTP_HELO_NAME to a full "+
				"host name that DNS has for the Keyward server, such as keyward.example.org, and restart Keyward. Without it, "+
				"the host of SITE_URL is used.")
	case AuthFailed:
		return fault.New(fault.MailFailed, "auth_failed",
			"The SMTP server did not accept the username and password. Check both. Some providers require an app password.")
	case AuthNeedsTLS:
		return fault.New(fault.MailFailed, "auth_needs_tls",
			"The password would be sent unencrypted. Choose starttls or tls.")
	case AuthRequired:
		return fault.New(fault.MailFailed, "auth_required",
			"The SMTP server requires signing in. Enter a username and password.")
	case AuthNotOffered:
		return fault.New(fault.MailFailed, "auth_not_offered",
			"The SMTP server offers no way to sign in on this port. Leave the username and password empty, or use the port "+
				"and encryption with which it does (usually 587 with starttls).")
	case AuthUnsupported:
		return fault.New(fault.MailFailed, "auth_unsupported",
			"The SMTP server offers no way to sign in that Keyward knows. Turn on SCRAM-SHA-256, PLAIN, LOGIN, CRAM-MD5 or "+
				"XOAUTH2 there.")
	case TokenMissing:
		return fault.New(fault.MailFailed, "oauth_token_missing",
			"The SMTP server only accepts an OAuth access token (XOAUTH2). Have one written to a file that Keyward can read, "+
				"and set SMTP_OAUTH_TOKEN_FILE to that file and SMTP_OAUTH_HOST to this server.")
	case TokenRefused:
		return fault.New(fault.MailFailed, "oauth_token_refused",
			"The SMTP server did not accept the access token. Check that the file in SMTP_OAUTH_TOKEN_FILE is kept up to date, "+
				"and that the token belongs to the username and may send mail.")
	case Unavailable:
		return fault.New(fault.MailFailed, "temporarily_unavailable",
			"The SMTP server has a temporary problem. Try again in a few minutes. If it stays, check the server's log.")
	case SenderRefused:
		return fault.New(fault.MailFailed, "sender_refused",
			"The SMTP server did not accept this sender. Check the sender address, that the account may send "+
				"from it, and that the server relays mail from the Keyward server.")
	case RecipientRefused:
		return fault.New(fault.MailFailed, "recipient_refused",
			"The SMTP server did not accept this recipient. Check the address, and that the server may send mail to its domain.")
	case MailboxFull:
		return fault.New(fault.MailFailed, "mailbox_full",
			"The recipient's mailbox is full. The settings work; try another address.")
	case Greylisted:
		return fault.New(fault.MailFailed, "greylisted",
			"The SMTP server deferred mail for this recipient. Many do this with new senders. Try again in a few minutes.")
	case TooLarge:
		return fault.New(fault.MailFailed, "too_large",
			"The message is larger than the SMTP server accepts. Raise its size limit.")
	case MessageRefused:
		return fault.New(fault.MailFailed, "message_refused",
			"The SMTP server rejected the message itself. Check its log. The usual cause is a spam filter.")
	case TimedOut:
		return fault.New(fault.MailFailed, "timeout",
			"The SMTP server did not respond in time. Check its host and port, that the port matches the encryption, and the firewall.")
	case ConnectionLost:
		return fault.New(fault.MailFailed, "connection_lost",
			"The SMTP server closed the connection without a reply. The mail may have been sent. Check the port, "+
				"the encryption and its log.")
	default:
		return fault.New(fault.MailFailed, "connect_failed",
			"The SMTP server can't be reached. Check its host and port, and the firewall.")
	}
}
