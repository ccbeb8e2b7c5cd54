package backend

import (
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// MailSettings are the settings of mail as the API shows them, with how it stands.
type MailSettings struct {
	Enabled           bool          `json:"enabled"`
	Host              string        `json:"host" doc:"of the SMTP server: a name or an address"`
	Port              int           `json:"port"`
	Security          string        `json:"security" enum:"starttls,tls,none"`
	AllowInsecureAuth bool          `json:"allow_insecure_auth" doc:"the password may be sent in the clear if security is none"`
	Username          string        `json:"username" doc:"empty: the server asks for none"`
	PasswordSet       bool          `json:"password_set" doc:"the password itself is never shown"`
	From              string        `json:"from" doc:"the sender's address"`
	FromName          string        `json:"from_name"`
	Language          string        `json:"language" enum:"en,de" doc:"for people who chose none"`
	CAPEM             string        `json:"ca_pem" doc:"certificates in PEM that are trusted beside the system's"`
	Waiting           int           `json:"waiting" doc:"how many messages are pending"`
	Standing          *MailStanding `json:"standing" doc:"why all of them wait; null: they do not"`
}

// MailStanding is trouble with the SMTP server, or with the settings.
type MailStanding struct {
	_             struct{}  `nullable:"true"`
	Since         time.Time `json:"since"`
	Error         string    `json:"error" doc:"in a word, as in MailMessage"`
	Reply         string    `json:"reply" doc:"the codes of the server's answer; empty: it gave none"`
	NextAttemptAt time.Time `json:"next_attempt_at"`
}

// PutMailSettings has pointers, so that an absent field takes its default.
type PutMailSettings struct {
	Enabled           bool           `json:"enabled"`
	Host              string         `json:"host,omitempty" maxLength:"253"`
	Port              *int           `json:"port,omitempty" doc:"absent: 587"`
	Security          *string        `json:"security,omitempty" doc:"starttls (absent), tls or none"`
	AllowInsecureAuth bool           `json:"allow_insecure_auth,omitempty"`
	Username          string         `json:"username,omitempty" maxLength:"256"`
	Password          *secret.String `json:"password,omitempty" maxLength:"1024" doc:"absent: as it is; empty: none. Must be given again when the server, its protection or the username changes."`
	From              string         `json:"from,omitempty" maxLength:"256"`
	FromName          *string        `json:"from_name,omitempty" maxLength:"256"`
	Language          *string        `json:"language,omitempty" doc:"en (absent) or de"`
	CAPEM             string         `json:"ca_pem,omitempty" maxLength:"65536"`
}

// TestMailRequest asks for a test message.
type TestMailRequest struct {
	To string `json:"to" maxLength:"256" doc:"an email address"`
}

// MailTestResult is of a test message that the SMTP server took.
type MailTestResult struct {
	MessageID string `json:"message_id" doc:"its Message-ID, without brackets"`
}

// MailMessage is one message to one address.
type MailMessage struct {
	ID            int64      `json:"id"`
	Kind          string     `json:"kind" doc:"what it is about, as in Notice"`
	User          Owner      `json:"user" doc:"whom it is for"`
	Address       string     `json:"address"`
	Language      string     `json:"language" enum:"en,de"`
	MessageID     string     `json:"message_id" doc:"the same at every attempt"`
	Status        string     `json:"status" enum:"pending,sent,failed,dropped"`
	Attempts      int        `json:"attempts"`
	NextAttemptAt *time.Time `json:"next_attempt_at" nullable:"true" doc:"while it is pending"`
	Error         string     `json:"error" doc:"code of why the last attempt failed; empty: none did, or a later one didn't"`
	Reply         string     `json:"reply" doc:"the codes of the server's refusal; empty: there is none"`
	CreatedAt     time.Time  `json:"created_at"`
	SentAt        *time.Time `json:"sent_at" nullable:"true" doc:"when the server took it"`
}
