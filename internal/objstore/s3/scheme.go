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

// encrypted remembers whether the store speaks TLS on an endpoint of http.
type encrypted struct {
	mu           sync.Mutex
	known, speak bool
}

// hopeless tells whether another try would fail likewise: https to http, http to https, or a
// certificate that is not trusted.
func (s *Store) hopeless(ctx context.Context, err error) bool {
	return certificate(err) != nil || s.speaksTLS(ctx, err)
}

// speaksTLS tells whether an error comes from speaking http to a store that speaks https.
// Such a store ends the connection, or answers what only its maker knows; so it is greeted
// in TLS, once.
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

// greeting is how long that takes at most.
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
	// Nothing is sent over it, so whose certificate it has does not matter.
	client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}) // #nosec G402
	return client.HandshakeContext(ctx) == nil
}
