package ocsp

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// DefaultTTL is the time from thisUpdate to nextUpdate, unless PKI_OCSP_TTL says otherwise.
const DefaultTTL = time.Hour

// CA is what signs the signers' certificates.
type CA interface {
	// IssuerDER returns the certificate of the CA that signs now, as last known.
	IssuerDER(ctx context.Context) ([]byte, error)
}

// Records say how certificates stand.
type Records interface {
	// RevocationStatus returns how a certificate of our CA stands: revoked is nil if it is not
	// revoked. An error if that is not known for sure at the moment.
	RevocationStatus(ctx context.Context, serialNumber string) (known bool, revoked *vault.Revocation, err error)
	// RevocationMark changes whenever any server has recorded or published a revocation.
	RevocationMark(ctx context.Context) (string, error)
}

// Responder answers OCSP requests.
type Responder struct {
	PKI     vault.PKI
	CA      CA
	Records Records
	TTL     time.Duration
	Log     *slog.Logger
	Now     func() time.Time
	// Counted, if not nil, is called with the status and source ("cache" or "signed") of each
	// certificate that was answered for.
	Counted func(status, source string)

	making sync.Mutex
	failed makingFailure // of the last attempt to make a signer; under making
	signer atomic.Pointer[signer]
	cache  cache
}

// makingFailure is why there is no signer, and since when.
type makingFailure struct {
	at  time.Time
	err error
}

// How long making a signer may take, and how long requests don't try again after a failure.
const (
	makingTimeout = 20 * time.Second
	failurePause  = 10 * time.Second
)

// Answer is an OCSPResponse.
type Answer struct {
	DER []byte
	// Lasting answers may be kept until Next by whoever got them, and should be asked for again
	// after Refresh. The others, to a request with a nonce or about a certificate that is unknown,
	// are for one request.
	Lasting           bool
	At, Refresh, Next time.Time
	ETag              string // of a lasting one

	status string // of its one certificate
	of     *signer
}

// Answer answers a request, DER. Errors of the protocol are answers, too.
func (r *Responder) Answer(ctx context.Context, der []byte) *Answer {
	req, err := parse(der)
	if err != nil {
		return &Answer{DER: malformedRequest.der()}
	}
	now := r.Now()
	s, err := r.ready(ctx, now)
	if err != nil {
		r.Log.WarnContext(ctx, "OCSP: no signer; answering tryLater", "error", err)
		return &Answer{DER: tryLater.der()}
	}
	single := len(req.ids) == 1 && req.nonce == nil
	if single {
		if a := r.cache.get(string(req.ids[0].raw)); a != nil && a.of == s && !now.Before(a.At) && now.Before(a.Refresh) {
			r.count(a.status, "cache")
			return a
		}
	}
	return r.answer(ctx, s, req, now, single)
}

func (r *Responder) answer(ctx context.Context, s *signer, req request, now time.Time, keep bool) *Answer {
	generation := r.cache.generation() // before the records are read: a revocation since then empties the cache
	ours := false
	list := make([]single, len(req.ids))
	for i, id := range req.ids {
		list[i].id = id
		if !s.ca.issued(id) {
			continue
		}
		ours = true
		if id.serial == "" {
			continue
		}
		known, revoked, err := r.Records.RevocationStatus(ctx, id.serial)
		if err != nil {
			if ctx.Err() == nil {
				r.Log.WarnContext(ctx, "OCSP: the records can't say how a certificate stands; answering tryLater", "error", err)
			}
			return &Answer{DER: tryLater.der()}
		}
		list[i].status.Known = known
		if revoked != nil {
			list[i].status.RevokedAt, list[i].status.Reason = revoked.At, revoked.Reason
		}
	}
	if !ours {
		return &Answer{DER: unauthorized.der()}
	}
	at := now.UTC().Truncate(time.Second)
	a := &Answer{At: at, Refresh: at.Add(r.TTL / 2), Next: at.Add(r.TTL), of: s, status: list[0].status.word()}
	if a.Next.After(s.notAfter) { // no answer outlives its signer
		a.Next, a.Refresh = s.notAfter, at.Add(s.notAfter.Sub(at)/2)
	}
	var err error
	if a.DER, err = s.sign(frame{a.At, a.Next, req.nonce}, list); err != nil {
		r.Log.ErrorContext(ctx, "OCSP: an answer could not be signed", "error", err)
		return &Answer{DER: internalError.der()}
	}
	for _, one := range list {
		r.count(one.status.word(), "signed")
	}
	if a.Lasting = keep && list[0].status.Known; a.Lasting {
		a.ETag = pki.ETag(a.DER)
		r.cache.put(string(req.ids[0].raw), a, generation)
	}
	return a
}

func (r *Responder) count(status, source string) {
	if r.Counted != nil {
		r.Counted(status, source)
	}
}

// ready returns the signer; it makes the first one.
func (r *Responder) ready(ctx context.Context, now time.Time) (*signer, error) {
	if s := r.signer.Load(); s != nil && now.Before(s.notAfter) {
		return s, nil
	}
	r.making.Lock()
	defer r.making.Unlock()
	if s := r.signer.Load(); s != nil && now.Before(s.notAfter) {
		return s, nil
	}
	if r.failed.err != nil && now.Sub(r.failed.at).Abs() < failurePause {
		return nil, r.failed.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), makingTimeout) // others may wait for it, too
	defer cancel()
	if err := r.renew(ctx); err != nil {
		return nil, err
	}
	return r.signer.Load(), nil
}

// Renew gives the signer a successor if there is none, if it ends soon, or if the CA was replaced.
// While that fails, the old one serves until its end.
func (r *Responder) Renew(ctx context.Context) error {
	r.making.Lock()
	defer r.making.Unlock()
	return r.renew(ctx)
}

// renew needs making.
func (r *Responder) renew(ctx context.Context) (err error) {
	now := r.Now()
	defer func() { r.failed = makingFailure{now, err} }()
	ca, err := r.CA.IssuerDER(ctx)
	if err != nil {
		return err
	}
	s := r.signer.Load()
	if s != nil && bytes.Equal(s.ca.der, ca) && now.Before(s.notAfter.Add(-signerRenewal)) {
		return nil
	}
	next, err := newSigner(ctx, r.PKI, ca)
	if err != nil {
		return err
	}
	r.signer.Store(next)
	return nil
}

// Begun reports whether a signer was ever needed here.
func (r *Responder) Begun() bool { return r.signer.Load() != nil }

// SignerEnds returns until when answers can be signed, and the CA's CAID; false while there is no
// signer.
func (r *Responder) SignerEnds() (ca string, end time.Time, ok bool) {
	s := r.signer.Load()
	if s == nil {
		return "", time.Time{}, false
	}
	return s.ca.id, s.notAfter, true
}

// followEvery is well below the second within which a revocation is in all answers.
const followEvery = 250 * time.Millisecond

// Follow empties the cache whenever any server has recorded a revocation, until ctx ends or the
// database fails.
func (r *Responder) Follow(ctx context.Context) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	r.cache.clear() // nothing is known of the time before
	var last string
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		if r.cache.empty() {
			continue
		}
		mark, err := r.Records.RevocationMark(ctx)
		if err != nil {
			r.cache.clear()
			return err
		}
		if mark != last {
			last = mark
			r.cache.clear()
		}
	}
}
