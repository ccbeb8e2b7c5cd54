package mail

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// Letter is a message as it is sent.
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

// Transport speaks to SMTP servers.
type Transport interface {
	// Open connects, protects the connection as the settings say and signs in. The
	// password never goes in the clear unless they allow it. An error is a *Refusal with
	// Server set.
	Open(ctx context.Context, s Settings, password secret.String) (Conn, error)
}

// Conn is a connection to an SMTP server, for one user.
type Conn interface {
	// Send sends one letter; nil: the server took it. ctx bounds it until the letter is
	// whole. From then on the server may have taken it, and answer bounds the wait for its
	// word. An error is a *Refusal; after one with Server or Over set nothing more goes over
	// this connection.
	Send(ctx, answer context.Context, l Letter) error
	// Close takes leave.
	Close()
}
