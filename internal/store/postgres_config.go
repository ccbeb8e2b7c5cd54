package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// keepalive is how soon a server notices that a client has vanished, and frees its locks: 10 s, and
// 3 times 5 s. The client gives up its own part earlier (lead.go).
var keepalive = map[string]string{"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}

// config reads the URL. Its errors never contain the password.
func (s Server) config() (*pgx.ConnConfig, error) {
	const form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full"
	text := s.URL.Reveal()
	if !strings.HasPrefix(text, "postgres://") && !strings.HasPrefix(text, "postgresql://") {
		return nil, errors.New("the database's URL must be " + form)
	}
	config, err := pgx.ParseConfig(text)
	if err != nil {
		if file, ok := errors.AsType[*fs.PathError](err); ok { // sslrootcert, sslcert or sslkey
			return nil, fmt.Errorf("the database's URL names the file %s, which can't be read: %w", file.Path, file.Err)
		}
		return nil, fmt.Errorf("the database's URL must be %s: %s", form, s.withoutPassword(err))
	}
	config.ConnectTimeout = s.ConnectTimeout
	parameters := config.RuntimeParams
	if parameters["application_name"] == "" {
		parameters["application_name"] = "keyward"
	}
	parameters["statement_timeout"] = milliseconds(s.StatementTimeout)
	parameters["lock_timeout"] = milliseconds(s.LockTimeout)
	parameters["idle_in_transaction_session_timeout"] = milliseconds(s.IdleTransactionTimeout)
	parameters["default_transaction_isolation"] = "read committed"
	parameters["jit"] = "off"                     // it costs more than any of these statements
	parameters["client_min_messages"] = "warning" // a COMMIT that has one is looked into
	for name, value := range keepalive {
		parameters[name] = value
	}
	config.OnNotice = keepWarning
	if config.ValidateConnect == nil && hosts(config) > 1 {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return config, nil
}

// readingConfig is for connections that only read. They become read-only after the server has been
// accepted: a read-only session looks like a standby. Requests read from the primary, however many
// hosts there are, since a name may lead to several servers: a standby may not know of a logout
// yet, nor how far the audit log is complete. A mere reader, whose primary is nil, may use any
// server.
func readingConfig(config *pgx.ConnConfig, primary pgconn.ValidateConnectFunc) *pgx.ConnConfig {
	config = config.Copy()
	if primary != nil {
		config.ValidateConnect = primary
	}
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		return conn.Exec(ctx, "SET default_transaction_read_only = on").Close()
	}
	return config
}

// hosts counts the servers that the URL names; one that allows connections with and without TLS is
// in the configuration twice.
func hosts(config *pgx.ConnConfig) int {
	names := map[string]bool{fmt.Sprint(config.Host, config.Port): true}
	for _, f := range config.Fallbacks {
		names[fmt.Sprint(f.Host, f.Port)] = true
	}
	return len(names)
}

// withoutPassword returns what is wrong with the URL: the innermost reason, and nothing at all if
// the password might be part of it.
func (s Server) withoutPassword(err error) string {
	const hidden = "it is not of this form (special characters in a password are written as %XX)"
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	u, parseErr := url.Parse(s.URL.Reveal())
	if parseErr != nil {
		return hidden
	}
	words := []string{u.Query().Get("password"), u.Query().Get("sslpassword")}
	if password, ok := u.User.Password(); ok {
		words = append(words, password, url.QueryEscape(password), url.PathEscape(password))
	}
	for _, word := range words {
		if word != "" && strings.Contains(err.Error(), word) {
			return hidden
		}
	}
	return err.Error()
}

// Unprotected reports whether the connection to the server may be read or taken over: it leaves the
// machine, and the server's certificate is not checked. False for a URL that cannot be read.
func (s Server) Unprotected() bool {
	config, err := s.withDefaults().config()
	if err != nil {
		return false
	}
	open := func(host string, checked bool) bool { return !checked && !local(host) }
	unprotected := open(config.Host, checks(config.Config))
	for _, f := range config.Fallbacks {
		unprotected = unprotected || open(f.Host, checks(pgconn.Config{TLSConfig: f.TLSConfig}))
	}
	return unprotected
}

// checks reports whether the server must show a certificate of a trusted CA; verify-ca has its own
// check.
func checks(c pgconn.Config) bool {
	return c.TLSConfig != nil && (!c.TLSConfig.InsecureSkipVerify || c.TLSConfig.VerifyPeerCertificate != nil)
}

// local reports whether a host is this machine: a socket, or a loopback address.
func local(host string) bool {
	ip := net.ParseIP(host)
	return strings.HasPrefix(host, "/") || host == "localhost" || ip != nil && ip.IsLoopback()
}
