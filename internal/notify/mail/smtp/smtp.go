// Package smtp sends mail to an SMTP server (RFC 5321) with the client of
// go-mail. It keeps the codes of the server's answers, and none of their text.
package smtp

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// Limits for an answer, and for that to a whole message: a client that does not await the
// latter sends duplicates (RFC 5321, 4.5.3.2.6).
const (
	answerTakes = 30 * time.Second
	takingTakes = 10 * time.Minute
)

// Transport implements mail.Transport.
type Transport struct {
	Name  string // this server's name in EHLO; empty: localhost
	Token Token
}

// Token is an access token of OAuth 2.0, for a server that takes no password (XOAUTH2).
type Token struct {
	Host string                        // the only server that gets it
	Read func() (secret.String, error) // it changes over time; nil: there is none
}

// NameOf returns the host of a site in the form for EHLO: addresses in brackets (RFC
// 5321, section 4.1.3).
func NameOf(site string) string {
	u, err := url.Parse(site)
	if err != nil {
		return ""
	}
	ip, err := netip.ParseAddr(u.Hostname())
	switch {
	case err != nil:
		return u.Hostname()
	case ip.Is6():
		return "[IPv6:" + ip.String() + "]"
	default:
		return "[" + ip.String() + "]"
	}
}

// Open implements mail.Transport.
func (t Transport) Open(ctx context.Context, s mail.Settings, password secret.String) (mail.Conn, error) {
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
	err = c.begin(ctx, s, config, cmp.Or(t.Name, "localhost"))
	if err == nil && s.Username != "" {
		err = c.signIn(ctx, s, password, t.Token)
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
	authorities, err := textinput.Certificates(s.CAPEM)
	if err != nil {
		return nil, fmt.Errorf("ca_pem: %w", err)
	}
	for _, authority := range authorities {
		pool.AddCert(authority)
	}
	config.RootCAs = pool
	return config, nil
}

// conn is a usable connection.
type conn struct {
	client *smtp.Client
	raw    net.Conn
	used   bool // a transaction has begun
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
		return nil, onHello(err, false)
	}
	return c, nil
}

// during interrupts I/O when ctx ends; call its result when there is nothing more to wait for.
func (c *conn) during(ctx context.Context) (over func() bool) { return context.AfterFunc(ctx, c.cut) }

func (c *conn) cut() { _ = c.raw.SetDeadline(time.Unix(1, 0)) }

// wait sets the time limit for the next answer, unless ctx has ended.
func (c *conn) wait(ctx context.Context) { c.waitFor(ctx, answerTakes) }

func (c *conn) waitFor(ctx context.Context, limit time.Duration) {
	_ = c.raw.SetDeadline(time.Now().Add(limit))
	if ctx.Err() != nil {
		c.cut()
	}
}

// begin greets the server with that name, and starts TLS if the settings say STARTTLS.
func (c *conn) begin(ctx context.Context, s mail.Settings, config *tls.Config, name string) error {
	c.wait(ctx)
	if err := c.client.Hello(name); err != nil {
		return onHello(err, true)
	}
	if s.Security != mail.STARTTLS {
		return nil
	}
	if offered, _ := c.client.Extension("STARTTLS"); !offered {
		return &mail.Refusal{Class: mail.TLSRefused, Server: true, Over: true}
	}
	c.wait(ctx)
	if err := c.client.StartTLS(config); err != nil {
		return onStartTLS(err)
	}
	return nil
}

// signIn authenticates in the best way that the server offers.
func (c *conn) signIn(ctx context.Context, s mail.Settings, password secret.String, token Token) error {
	_, offered := c.client.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(offered))
	clear, class := s.AllowInsecureAuth, mail.AuthFailed
	byToken := slices.Contains(ways, "XOAUTH2") && token.Read != nil && strings.EqualFold(token.Host, s.Host)
	no := func(class mail.Class) error { return &mail.Refusal{Class: class, Server: true, Over: true} }
	var way smtp.Auth
	switch {
	case byToken && s.Security == mail.NoTLS:
		return no(mail.AuthNeedsTLS)
	case byToken:
		bearer, err := token.Read()
		if err != nil {
			return no(mail.TokenMissing)
		}
		way, class = smtp.XOAuth2Auth(s.Username, bearer.Reveal()), mail.TokenRefused
	case slices.Contains(ways, "SCRAM-SHA-256"):
		way = smtp.ScramSHA256Auth(s.Username, password.Reveal())
	case slices.Contains(ways, "PLAIN"):
		way = smtp.PlainAuth("", s.Username, password.Reveal(), s.Host, clear)
	case slices.Contains(ways, "LOGIN"):
		way = smtp.LoginAuth(s.Username, password.Reveal(), s.Host, clear)
	case slices.Contains(ways, "CRAM-MD5"):
		way = smtp.CRAMMD5Auth(s.Username, password.Reveal())
	case slices.Contains(ways, "XOAUTH2"):
		return no(mail.TokenMissing)
	case len(ways) == 0:
		return no(mail.AuthNotOffered)
	default:
		return no(mail.AuthUnsupported)
	}
	c.wait(ctx)
	if err := c.client.Auth(way); err != nil {
		return onSignIn(err, class)
	}
	return nil
}

// leaveTakes bounds the wait for the answer to QUIT.
const leaveTakes = 2 * time.Second

// Close implements mail.Conn.
func (c *conn) Close() {
	_ = c.raw.SetDeadline(time.Now().Add(leaveTakes))
	_ = c.client.Quit()
	c.drop()
}

func (c *conn) drop() { _ = c.raw.Close() }
