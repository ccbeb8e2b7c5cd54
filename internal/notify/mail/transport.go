package mail

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// Letter is a message ready to send.
type Letter struct {
	From      string // an address
	FromName  string
	To        string // an address
	Subject   string
	Plain     string
	HTML      string
	MessageID string // without brackets
	Language  string
	Date      time.Time
}

// Transport connects to SMTP servers.
type Transport interface {
	// Open connects, protects the connection as the settings say and signs in. It never
	// sends the password in clear text unless they allow that. An error is a *Refusal
	// with Server set.
	Open(ctx context.Context, s Settings, password secret.String) (Conn, error)
}

// Conn is a connection to an SMTP server. It is not safe for concurrent use.
type Conn interface {
	// Send sends one letter; nil: the server took it. ctx bounds it until the letter is
	// complete. From then on the server may have taken it, and answer bounds the wait for
	// its answer. An error is a *Refusal; after one with Server or Over set the connection
	// is unusable.
	Send(ctx, answer context.Context, l Letter) error
	// Close sends QUIT and closes the connection.
	Close()
}
