// Package smtp sends mail to an SMTP server (RFC 5321), over connections of
// go-mail's. It keeps the codes of what the server says, and none of its words.
package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/mail"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textfile"
)

// How long the server may take for an answer, and for the one to a whole message: who does
// not wait for that one sends it again (RFC 5321, 4.5.3.2.6).
const (
	answerTakes = 30 * time.Second
	takingTakes = 10 * time.Minute
)

// Transport implements mail.Transport.
type Transport struct{}

// Open implements mail.Transport.
func (Transport) Open(ctx context.Context, s mail.Settings, password secret.String) (mail.Conn, error) {
	if s.Security == mail.NoTLS && s.Username != "" && !s.AllowInsecureAuth {
		return nil, &mail.Refusal{Class: mail.AuthNeedsTLS, Server: true, Over: true}
	}
	config, err := tlsConfig(s)
	if err != nil {
		return nil, refusal(mail.TLSFailed, err)
	}
	c, err := dial(ctx, s, config)
	if err != nil {
		return nil, err
	}
	defer c.during(ctx)()
	err = c.begin(ctx, s, config)
	if err == nil && s.Username != "" {
		err = c.signIn(ctx, s, password)
	}
	if err != nil {
		c.drop()
		return nil, err
	}
	return c, nil
}

func tlsConfig(s mail.Settings) (*tls.Config, error) {
	config := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	if s.CAPEM == "" {
		return config, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	authorities, err := textfile.Certificates(s.CAPEM)
	if err != nil {
		return nil, fmt.Errorf("ca_pem: %w", err)
	}
	for _, authority := range authorities {
		pool.AddCert(authority)
	}
	config.RootCAs = pool
	return config, nil
}

// conn is a connection that is good to send over.
type conn struct {
	client *smtp.Client
	raw    net.Conn
	used   bool // a transaction was begun
}

func dial(ctx context.Context, s mail.Settings, config *tls.Config) (*conn, error) {
	limited, cancel := context.WithTimeout(ctx, answerTakes)
	defer cancel()
	address := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	raw, err := (&net.Dialer{ControlContext: loopback.RefuseLinkLocal}).DialContext(limited, "tcp", address)
	if err != nil {
		return nil, refusal(mail.ConnectFailed, err)
	}
	c := &conn{raw: raw}
	defer c.during(ctx)()
	if s.Security == mail.TLS {
		over := tls.Client(raw, config)
		if err := over.HandshakeContext(limited); err != nil {
			c.drop()
			return nil, refusal(mail.TLSFailed, err)
		}
		raw = over
	}
	c.wait(ctx)
	if c.client, err = smtp.NewClient(raw, s.Host); err != nil {
		c.drop()
		return nil, refusal(mail.ConnectFailed, err)
	}
	return c, nil
}

// during ends what waits for an answer when ctx ends; what it returns is to be called
// when there is nothing more to wait for.
func (c *conn) during(ctx context.Context) (over func() bool) { return context.AfterFunc(ctx, c.cut) }

func (c *conn) cut() { _ = c.raw.SetDeadline(time.Unix(1, 0)) }

// wait gives the next answer its time, unless ctx has ended.
func (c *conn) wait(ctx context.Context) { c.waitFor(ctx, answerTakes) }

func (c *conn) waitFor(ctx context.Context, limit time.Duration) {
	_ = c.raw.SetDeadline(time.Now().Add(limit))
	if ctx.Err() != nil {
		c.cut()
	}
}

// begin greets the server, and goes over to TLS.
func (c *conn) begin(ctx context.Context, s mail.Settings, config *tls.Config) error {
	name, err := os.Hostname()
	if err != nil || name == "" || strings.ContainsAny(name, " \r\n") {
		name = "localhost"
	}
	c.wait(ctx)
	if err := c.client.Hello(name); err != nil {
		return refusal(mail.ConnectFailed, err)
	}
	if s.Security != mail.STARTTLS {
		return nil
	}
	if offered, _ := c.client.Extension("STARTTLS"); !offered {
		return &mail.Refusal{Class: mail.TLSRefused, Server: true, Over: true}
	}
	c.wait(ctx)
	if err := c.client.StartTLS(config); err != nil {
		if reply(err) != "" {
			return refusal(mail.TLSRefused, err)
		}
		return refusal(mail.TLSFailed, err)
	}
	return nil
}

// signIn proves the username by the first way that the server offers. Where it offers
// none, the password is not what it wants.
func (c *conn) signIn(ctx context.Context, s mail.Settings, password secret.String) error {
	_, offered := c.client.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(offered))
	clear := s.AllowInsecureAuth
	var way smtp.Auth
	switch {
	case slices.Contains(ways, "SCRAM-SHA-256"):
		way = smtp.ScramSHA256Auth(s.Username, password.Reveal())
	case slices.Contains(ways, "PLAIN"):
		way = smtp.PlainAuth("", s.Username, password.Reveal(), s.Host, clear)
	case slices.Contains(ways, "LOGIN"):
		way = smtp.LoginAuth(s.Username, password.Reveal(), s.Host, clear)
	case slices.Contains(ways, "CRAM-MD5"):
		way = smtp.CRAMMD5Auth(s.Username, password.Reveal())
	default:
		return &mail.Refusal{Class: mail.AuthFailed, Server: true, Over: true}
	}
	c.wait(ctx)
	if err := c.client.Auth(way); err != nil {
		return refusal(mail.AuthFailed, err)
	}
	return nil
}

// leaveTakes bounds the wait for the server's farewell.
const leaveTakes = 2 * time.Second

// Close implements mail.Conn.
func (c *conn) Close() {
	_ = c.raw.SetDeadline(time.Now().Add(leaveTakes))
	_ = c.client.Quit()
	c.drop()
}

func (c *conn) drop() { _ = c.raw.Close() }
