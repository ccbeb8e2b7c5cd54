package store

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/keyward/keyward/internal/secret"
)

// credentials are the user and password for a server. If the URL is in a file that another program
// rewrites, they are reread as soon as the server refuses them: a rotation needs no restart.
type credentials struct {
	server Server // whose URLAgain they come from

	mu       sync.Mutex
	user     string
	password secret.String
	changes  int
}

func newCredentials(server Server, config *pgx.ConnConfig) *credentials {
	return &credentials{server: server, user: config.User, password: secret.New(config.Password)}
}

// put sets them before each connection.
func (c *credentials) put(_ context.Context, config *pgx.ConnConfig) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	config.User, config.Password = c.user, c.password.Reveal()
	return nil
}

// connect connects once more if the server refused the credentials and others are available by now.
func (c *credentials) connect(connect func() error) error {
	if c == nil {
		return connect()
	}
	c.mu.Lock()
	tried := c.changes
	c.mu.Unlock()
	err := connect()
	if !refusedLogin(err) || c.server.URLAgain == nil {
		return err
	}
	unread := c.renew()
	c.mu.Lock()
	renewed := c.changes != tried
	c.mu.Unlock()
	if renewed {
		return connect()
	}
	return errors.Join(err, unread)
}

// renew rereads the URL. A changed host, database or parameter takes effect after a restart:
// another database would be another installation.
func (c *credentials) renew() error {
	url, err := c.server.URLAgain()
	if err != nil {
		return err
	}
	again := c.server
	again.URL = url
	config, err := again.config()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if config.User != c.user || config.Password != c.password.Reveal() {
		c.user, c.password = config.User, secret.New(config.Password)
		c.changes++
	}
	return nil
}

// Reload rereads the user and password if the server's URL is in a file; open connections stay.
func (db *DB) Reload() error {
	if db.server.credentials == nil || db.server.URLAgain == nil {
		return nil
	}
	return db.server.credentials.renew()
}

// refusedLogin reports that the server refuses this user or password (PostgreSQL, appendix A: class
// 28, invalid authorization).
func refusedLogin(err error) bool {
	state, _ := sqlState(err)
	return state == "28P01" || state == "28000"
}
