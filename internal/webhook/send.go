package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tracing"
)

// Class says why an attempt failed, for people and programs. It never contains
// what the receiver sent.
type Class string

// The classes.
const (
	AddressRefused  Class = "address_refused"   // the name resolves to an address that is not allowed
	NameNotResolved Class = "name_not_resolved" // DNS
	ConnectFailed   Class = "connect_failed"
	TLSFailed       Class = "tls_failed" // certificate or handshake
	TimedOut        Class = "timeout"
	ConnectionLost  Class = "connection_lost" // no complete answer
	RedirectRefused Class = "redirect_refused"
	StatusRefused   Class = "status_refused" // neither 2xx nor 3xx
	Gone            Class = "gone"           // 410: the receiver wants no more messages
	EventMissing    Class = "event_missing"  // the audit log no longer has the entry
	OutOfScope      Class = "out_of_scope"   // the hook may not see the entry
	SecretMissing   Class = "secret_missing" // the vault has no signing secret
	URLInvalid      Class = "url_invalid"
)

// Request is a message to post.
type Request struct {
	URL    string
	Header http.Header
	Body   []byte
}

// Transport posts messages.
type Transport interface {
	// Post returns the answer's status, or why there is none. It follows no
	// redirects and takes at most a few seconds.
	Post(ctx context.Context, r Request) (status int, class Class)
}

// How a Sender works.
const (
	Concurrency   = 16 // attempts at once
	pollEvery     = time.Second
	lease         = time.Minute // several times the longest attempt
	holdBack      = 30 * time.Second
	recordTimeout = 5 * time.Second
)

// Sender sends due deliveries. It must not be copied.
type Sender struct {
	Store     Store
	Secrets   *Secrets
	Transport Transport
	Render    Render
	Log       *slog.Logger
	Now       func() time.Time

	once sync.Once
	wake chan struct{}
}

func (s *Sender) signal() chan struct{} {
	s.once.Do(func() { s.wake = make(chan struct{}, 1) })
	return s.wake
}

// Wake makes Run look at once. It never blocks.
func (s *Sender) Wake() {
	select {
	case s.signal() <- struct{}{}:
	default:
	}
}

// Run sends until ctx ends, then aborts the current attempts, which will be
// repeated, and returns nil. An error is the database's.
func (s *Sender) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	ended, busy := make(chan struct{}, Concurrency), 0
	for {
		for busy < Concurrency {
			now := s.Now()
			c, ok, err := s.Store.ClaimDelivery(ctx, now, now.Add(lease))
			if err != nil && ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			busy++
			group.Go(func() {
				s.deliver(ctx, c)
				ended <- struct{}{}
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ended:
			busy--
		case <-s.signal():
		case <-ticker.C:
		}
	}
}

// deliver makes one attempt and records it, even after ctx has ended.
func (s *Sender) deliver(ctx context.Context, c Claim) {
	ctx, span := tracing.Root(ctx, "deliver webhook", trace.SpanKindClient)
	r := s.attempt(ctx, c)
	if r.Error != "" {
		span.Fail(string(r.Error))
	}
	defer span.End(nil)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := s.Store.FinishDelivery(ctx, c, r); err != nil {
		// It stays pending, and is claimed again when the lease expires.
		s.Log.Warn("could not record the result of a webhook delivery", "delivery", c.Delivery.ID, "error", err)
		return
	}
	if r.Status == Failed {
		s.Log.Warn("gave up on a webhook delivery", "webhook", c.Webhook.ID, "delivery", c.Delivery.ID, "reason", string(r.Error))
	}
}

func (s *Sender) attempt(ctx context.Context, c Claim) Result {
	switch {
	case c.Entry == nil, c.Entry.Action != c.Delivery.Action:
		return s.failed(c, nil, EventMissing)
	case !c.Webhook.inScope(*c.Entry):
		return s.failed(c, nil, OutOfScope)
	}
	key, err := s.Secrets.load(ctx, c.Webhook.SecretRef)
	if fault.Is(err, fault.NotFound) {
		return s.again(c, nil, SecretMissing)
	}
	var request Request
	if err == nil {
		request, err = s.request(c, key)
	}
	if err != nil && ctx.Err() == nil {
		// Not the receiver's fault: this attempt does not count.
		s.Log.Warn("could not prepare a webhook delivery", "delivery", c.Delivery.ID, "error", err)
		return s.notTried(c, holdBack)
	}
	var status int
	var class Class
	if err == nil {
		status, class = s.Transport.Post(ctx, request)
	}
	if status == 0 && ctx.Err() != nil {
		return s.notTried(c, 0) // the server is stopping: the next claim may start at once
	}
	return s.judge(c, status, class)
}

// judge turns an answer into a result (Standard Webhooks, "Sending webhooks").
func (s *Sender) judge(c Claim, status int, class Class) Result {
	switch {
	case status == 0:
		return s.again(c, nil, class)
	case status >= 200 && status < 300:
		return Result{Status: Delivered, Attempts: c.Delivery.Attempts, StatusCode: &status, At: s.Now()}
	case status == http.StatusGone:
		return s.failed(c, &status, Gone)
	case status >= 300 && status < 400:
		return s.again(c, &status, RedirectRefused)
	default:
		return s.again(c, &status, StatusRefused)
	}
}

func (s *Sender) failed(c Claim, status *int, class Class) Result {
	return Result{Status: Failed, Attempts: c.Delivery.Attempts, StatusCode: status, Error: class, At: s.Now()}
}

// again schedules the next attempt, or gives up.
func (s *Sender) again(c Claim, status *int, class Class) Result {
	wait, ok := pause(c.Delivery.Attempts, jitter)
	if !ok {
		return s.failed(c, status, class)
	}
	now := s.Now()
	next := now.Add(wait)
	return Result{Status: Pending, Attempts: c.Delivery.Attempts, NextAttemptAt: &next, StatusCode: status, Error: class, At: now}
}

// notTried returns a delivery to the queue unchanged.
func (s *Sender) notTried(c Claim, wait time.Duration) Result {
	now := s.Now()
	next := now.Add(wait)
	return Result{
		Status: Pending, Attempts: c.Delivery.Attempts - 1, NextAttemptAt: &next,
		StatusCode: c.Delivery.LastStatusCode, Error: c.Delivery.LastError, At: now,
	}
}

func (s *Sender) request(c Claim, key secret.String) (Request, error) {
	body, err := s.Render.body(*c.Entry)
	if err != nil {
		return Request{}, err
	}
	now := s.Now()
	signature, err := sign(key, c.Delivery.MessageID, now, body)
	if err != nil {
		return Request{}, err
	}
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set(HeaderID, c.Delivery.MessageID)
	h.Set(HeaderTimestamp, timestamp(now))
	h.Set(HeaderSignature, signature)
	return Request{URL: c.Webhook.URL, Header: h, Body: body}, nil
}
