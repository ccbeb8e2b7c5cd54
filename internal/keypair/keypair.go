// Package keypair keeps the certificate and private key of a server or client up to date
// with their files: renewing a certificate only takes replacing the files.
//
// Each handshake checks the files, which costs two stat calls in addition to a
// signature. An unusable pair (half written, or with a key of another
// certificate) is logged once, and the previous one stays in use.
package keypair

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// Pair is a certificate with its private key, in two PEM files. Its methods are
// safe for concurrent use.
type Pair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	seen    look   // the last read, usable or not
	trouble string // the last one logged; empty when all is well
}

// look is the state of the two files.
type look struct{ cert, key os.FileInfo }

// Open reads the pair. The certificate's file also has the intermediates, which
// clients need to build the chain. An unusable pair is an error.
func Open(certFile, keyFile string, log *slog.Logger) (*Pair, error) {
	p := &Pair{certFile: certFile, keyFile: keyFile, log: log}
	seen, err := p.look()
	if err != nil {
		return nil, err
	}
	p.seen = seen
	if p.current, err = p.read(); err != nil {
		return nil, err
	}
	return p, nil
}

// Config is for a server with this certificate: TLS 1.2 or newer, and HTTP/2.
func (p *Pair) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.certificate(), nil },
	}
}

// ForClient presents this certificate to a server that requests one
// (tls.Config.GetClientCertificate).
func (p *Pair) ForClient(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return p.certificate(), nil
}

// Leaf is the current certificate.
func (p *Pair) Leaf() *x509.Certificate { return p.certificate().Leaf }

// certificate returns the newest usable one.
func (p *Pair) certificate() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Before reading: a write after this look counts as another change.
	now, err := p.look()
	if err == nil {
		if now.same(p.seen) {
			return p.current
		}
		p.seen = now
		var next *tls.Certificate
		if next, err = p.read(); err == nil {
			p.current, p.trouble = next, ""
			p.log.Info("using a new TLS certificate from now on", "not_after", next.Leaf.NotAfter.UTC())
			return p.current
		}
	}
	if p.trouble != err.Error() {
		p.trouble = err.Error()
		p.log.Error("cannot use the new TLS certificate; keeping the previous one", "error", err,
			"not_after", p.current.Leaf.NotAfter.UTC())
	}
	return p.current
}

func (p *Pair) read() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(p.certFile, p.keyFile)
	if err != nil {
		return nil, fmt.Errorf("certificate and key: %w", err)
	}
	return &pair, nil
}

func (p *Pair) look() (l look, err error) {
	if l.cert, err = os.Stat(p.certFile); err != nil {
		return l, err
	}
	l.key, err = os.Stat(p.keyFile)
	return l, err
}

func (l look) same(as look) bool { return same(l.cert, as.cert) && same(l.key, as.key) }

func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
