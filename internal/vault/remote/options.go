package remote

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// Options say where the vault is, how Keyward logs in, and what is where in it.
type Options struct {
	Address   string // https://HOST:PORT; http on this machine alone
	Namespace string // of Vault Enterprise or OpenBao; empty: none
	CACert    []byte // PEM: the roots of its certificate; empty: the system's

	// How to log in: with a token, or by Login. What is a function is called at each login, so
	// that a rewritten file takes effect.
	Token func() (secret.String, error)
	Login Login

	Mounts     Mounts
	PublicBase string // the site's URL; certificates point to its CRL
	OCSP       bool   // whether they name PublicBase's OCSP responder, too
	// CRLValidity is how long a list is valid at least, if Keyward asks for one every hour; zero: 48 h.
	CRLValidity time.Duration
	KeyTypes    []piv.KeyType // of requested certificates; none: those of vault.DefaultRole
	Timeout     time.Duration // of a call; zero: 10 s
	Now         func() time.Time
	Logger      *slog.Logger

	patience time.Duration // for calls that grow with the data: lists, the CRL; tests have their own
}

// Method is an auth method of the vault.
type Method string

// The methods.
const (
	AppRole    Method = "approle"
	JWT        Method = "jwt"        // of any issuer that the vault trusts, OIDC too
	Kubernetes Method = "kubernetes" // a service account's token, which the vault has reviewed
	Cert       Method = "cert"       // a TLS client certificate
)

// Login is how Keyward logs in. Each method needs its own members.
type Login struct {
	Method Method // empty: AppRole
	Mount  string // where it is enabled; empty: at its name, or for an AppRole at Mounts.AppRole
	Role   string // of JWT, Kubernetes and Cert; empty: Mounts.Role

	RoleID, SecretID func() (secret.String, error) // AppRole
	JWT              func() (secret.String, error) // JWT, Kubernetes
	// Certificate is presented at each login and renewal (tls.Config.GetClientCertificate): Cert.
	Certificate func(*tls.CertificateRequestInfo) (*tls.Certificate, error)
}

// complete reports whether the method has what it needs.
func (l Login) complete() bool {
	switch l.Method {
	case AppRole:
		return l.RoleID != nil && l.SecretID != nil
	case JWT, Kubernetes:
		return l.JWT != nil
	case Cert:
		return l.Certificate != nil
	}
	return false
}

// Mounts names what Keyward uses inside the vault. The empty name means the default.
type Mounts struct {
	KV      string // "hwkeys"
	PKI     string // "pki"
	AppRole string // "approle"
	Role    string // of PKI and AppRole, and the policy: "keyward"
}

func (m Mounts) named() Mounts {
	return Mounts{cmp.Or(m.KV, "hwkeys"), cmp.Or(m.PKI, "pki"), cmp.Or(m.AppRole, "approle"), cmp.Or(m.Role, "keyward")}
}

// check fills in the defaults and reports every mistake at once.
func (o *Options) check() error {
	var mistakes []error
	bad := func(what string) { mistakes = append(mistakes, errors.New(what)) }
	u, err := url.Parse(o.Address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		bad("the vault's address is not https:// with a host and no path")
	case u.Scheme == "http" && !loopback.Host(u.Hostname()), u.Scheme != "http" && u.Scheme != "https":
		bad("the vault's address is not https:// (http:// works only on this computer, because tokens and secrets are sent to it)")
	}
	if base, err := url.Parse(o.PublicBase); err != nil || base.Scheme == "" || base.Host == "" {
		bad("the public base is not an absolute URL")
	}
	o.PublicBase = strings.TrimRight(o.PublicBase, "/")
	o.Address = strings.TrimRight(o.Address, "/")
	o.Namespace = strings.Trim(o.Namespace, "/")
	o.Mounts = o.Mounts.named()
	o.Login.Method = cmp.Or(o.Login.Method, AppRole)
	if o.Login.Method == AppRole {
		o.Login.Mount = cmp.Or(o.Login.Mount, o.Mounts.AppRole)
	}
	o.Login.Mount, o.Login.Role = cmp.Or(o.Login.Mount, string(o.Login.Method)), cmp.Or(o.Login.Role, o.Mounts.Role)
	if o.Token == nil && !o.Login.complete() {
		bad("a token is needed, or what the auth method " + string(o.Login.Method) + " takes")
	}
	for _, name := range []string{o.Mounts.KV, o.Mounts.PKI, o.Mounts.AppRole, o.Mounts.Role, o.Login.Mount, o.Login.Role} {
		if vault.CheckPath(name) != nil {
			bad("the name of a mount or role may contain only letters, digits and -_.")
		}
	}
	if len(o.KeyTypes) == 0 {
		o.KeyTypes = vault.DefaultRole().KeyTypes
	}
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.patience = cmp.Or(o.patience, time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if len(mistakes) > 0 {
		return fmt.Errorf("%w: %w", vault.ErrInvalid, errors.Join(mistakes...))
	}
	return nil
}

// idle is how many connections are kept for the next calls.
const idle = 64

func (o *Options) transport() (*http.Transport, error) {
	var roots *x509.CertPool
	if len(o.CACert) > 0 {
		if roots = x509.NewCertPool(); !textinput.AddRoots(roots, o.CACert) {
			return nil, fmt.Errorf("%w: the vault's CA file holds no certificate in PEM", vault.ErrInvalid)
		}
	}
	return &http.Transport{
		Proxy:                  nil, // secrets go to the vault itself
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    5 * time.Second,
		MaxIdleConnsPerHost:    idle,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      false, // one connection for all calls would let one slow answer delay others
	}, nil
}

// stay follows one redirect, to the active node. The token goes along, so it never follows one from
// HTTPS to plain HTTP, nor in plain HTTP to another machine.
func stay(r *http.Request, via []*http.Request) error {
	plain := r.URL.Scheme != "https"
	if len(via) > 1 || plain && (via[0].URL.Scheme == "https" || !loopback.Host(r.URL.Hostname())) {
		return http.ErrUseLastResponse
	}
	return nil
}
