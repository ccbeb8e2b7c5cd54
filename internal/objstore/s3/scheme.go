package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

// encrypted caches whether the store uses TLS on an http endpoint.
type encrypted struct {
	mu           sync.Mutex
	known, speak bool
}

// hopeless reports whether a retry would fail as well: https to http, http to https,
// or an untrusted certificate.
func (s *Store) hopeless(ctx context.Context, err error) bool {
	return certificate(err) != nil || s.speaksTLS(ctx, err)
}

// speaksTLS reports whether an error comes from using http with a store that uses
// https. Such a store closes the connection, or sends a vendor-specific answer; so
// speaksTLS tries a TLS handshake, once.
func (s *Store) speaksTLS(ctx context.Context, err error) bool {
	_, noHost := errors.AsType[*net.DNSError](err)
	if err == nil || !strings.HasPrefix(s.o.Endpoint, "http://") || code(err) != "" && plain.MatchString(code(err)) && status(err) != 0 ||
		ctx.Err() != nil || noHost || errors.Is(err, syscall.ECONNREFUSED) {
		return false
	}
	s.encrypted.mu.Lock()
	defer s.encrypted.mu.Unlock()
	if !s.encrypted.known {
		s.encrypted.known, s.encrypted.speak = true, s.greet(ctx)
	}
	return s.encrypted.speak
}

// greeting limits the time of the handshake.
const greeting = 3 * time.Second

func (s *Store) greet(ctx context.Context) bool {
	u, err := url.Parse(s.o.Endpoint)
	if err != nil {
		return false
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	ctx, end := context.WithTimeout(ctx, greeting)
	defer end()
	conn, err := s.transport.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return false
	}
	defer conn.Close()
	// Nothing is sent over it, so the certificate does not matter.
	client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}) // #nosec G402
	return client.HandshakeContext(ctx) == nil
}
