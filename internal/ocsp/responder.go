package ocsp

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// CAs are what signs the signers' certificates.
type CAs interface {
	// CAs returns them as last known, the active one first. The list is never changed, only replaced.
	CAs(ctx context.Context) ([]vault.CA, error)
	// Unknown is CAs after somebody asked about one that is not among them.
	Unknown(ctx context.Context) ([]vault.CA, error)
}

// Records say how certificates stand.
type Records interface {
	// RevocationStatus returns how a certificate of a CA of ours stands; an error if that is
	// not known for sure at the moment.
	RevocationStatus(ctx context.Context, of Issuer, serialNumber string) (Status, error)
	// RevocationMark changes whenever any server has recorded or published a
	// revocation.
	RevocationMark(ctx context.Context) (string, error)
}

// Issuer is a CA of ours.
type Issuer struct {
	ID   string // as in vault.CA
	Name string // distinguished name (RFC 4514)
}

// Responder answers OCSP requests.
type Responder struct {
	PKI     vault.PKI
	CAs     CAs
	Records Records
	TTL     time.Duration // from thisUpdate to nextUpdate
	Log     *slog.Logger
	Now     func() time.Time
	// Counted, if not nil, is called with the status of each certificate that was answered for, or with
	// OCSP's own error, and with the source: "cache", "signed" or "error".
	Counted func(status, source string)

	issuers atomic.Pointer[issuers]
	making  sync.Mutex
	failed  map[string]makingFailure // of the last attempt to make a CA's signer; under making
	signers sync.Map                 // by the CA's ID: *signer
	cache   cache
	// confirmed is when the cache was last known to show every revocation, from started.
	confirmed atomic.Int64
	warned    atomic.Int64 // when a warning was last logged, likewise
}

// started is the beginning of this process's time, which no change of the clock moves.
var started = time.Now()

// confirmedFor is how long the cache is used without another look at the mark, from the look's beginning:
// a revocation is in all answers within one second.
const confirmedFor = 700 * time.Millisecond

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
	// after Refresh. The others, to a request with a nonce or about a certificate that is unknown or
	// not recorded yet, are for one request.
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
		return r.fail(malformedRequest)
	}
	now := r.Now()
	single := len(req.ids) == 1 && req.nonce == nil
	if single && r.current() {
		if a := r.cache.get(string(req.ids[0].raw)); a != nil && a.of == r.signer(a.of.ca.id) && !now.Before(a.At) && now.Before(a.Refresh) {
			r.count(a.status, "cache")
			return a
		}
	}
	ca, err := r.issuerOf(ctx, req)
	if err == nil && ca == nil {
		return r.fail(unauthorized)
	}
	var s *signer
	if err == nil {
		s, err = r.ready(ctx, *ca)
	}
	if err != nil {
		r.warn(ctx, "OCSP: there is no signer; answering tryLater", err)
		return r.fail(tryLater)
	}
	return r.answer(ctx, s, req, now, single)
}

// current reports whether the cache shows every revocation of more than a moment ago.
func (r *Responder) current() bool {
	at := r.confirmed.Load()
	return at != 0 && time.Since(started)-time.Duration(at) < confirmedFor
}

func (r *Responder) answer(ctx context.Context, s *signer, req request, now time.Time, keep bool) *Answer {
	generation := r.cache.generation() // before the records are read: a revocation since then empties the cache
	list := make([]single, len(req.ids))
	for i, id := range req.ids {
		list[i].id = id
		if !s.ca.issued(id) || id.serial == "" {
			continue
		}
		var err error
		if list[i].status, err = r.Records.RevocationStatus(ctx, Issuer{s.ca.id, s.ca.name}, id.serial); err != nil {
			if ctx.Err() == nil {
				r.warn(ctx, "OCSP: the records can't say how a certificate stands; answering tryLater", err)
			}
			return r.fail(tryLater)
		}
	}
	at := now.UTC().Truncate(time.Second)
	a := &Answer{At: at, Refresh: at.Add(r.TTL / 2), Next: at.Add(r.TTL), of: s, status: list[0].status.word()}
	if a.Next.After(s.notAfter) { // no answer outlives its signer
		a.Next, a.Refresh = s.notAfter, at.Add(s.notAfter.Sub(at)/2)
	}
	var err error
	if a.DER, err = s.sign(frame{a.At, a.Next, req.nonce}, list); err != nil {
		r.warn(ctx, "OCSP: an answer could not be signed", err)
		return r.fail(internalError)
	}
	for _, one := range list {
		r.count(one.status.word(), "signed")
	}
	if a.Lasting = keep && list[0].status.Known && !list[0].status.Pending; a.Lasting {
		a.ETag = pki.ETag(a.DER)
		r.cache.put(string(req.ids[0].raw), a, generation)
	}
	return a
}

// fail answers with one of the protocol's errors.
func (r *Responder) fail(why failure) *Answer {
	r.count(why.word(), "error")
	return &Answer{DER: why.der()}
}

// warnEvery limits the log: anybody may ask, as often as they like.
const warnEvery = time.Minute

func (r *Responder) warn(ctx context.Context, what string, err error) {
	now, last := time.Since(started), r.warned.Load()
	if last != 0 && now-time.Duration(last) < warnEvery || !r.warned.CompareAndSwap(last, int64(now)) {
		return
	}
	r.Log.WarnContext(ctx, what, "error", err)
}

func (r *Responder) count(status, source string) {
	if r.Counted != nil {
		r.Counted(status, source)
	}
}

// How often to look at the mark, and how long a look may take.
const (
	followEvery   = 200 * time.Millisecond
	followTimeout = 300 * time.Millisecond
	// toleratedFailures of looks in a row don't empty the cache.
	toleratedFailures = 20
)

// Follow empties the cache whenever any server has recorded a revocation, until ctx ends or the
// database fails. While it can't tell, the cache is not used.
func (r *Responder) Follow(ctx context.Context) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	r.cache.clear() // nothing is known of the time before
	var last string
	failing := 0
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		if r.cache.empty() {
			continue
		}
		asked := time.Since(started) // what is recorded from here on may not be in the mark
		mark, err := r.markNow(ctx)
		switch {
		case err == nil:
			failing = 0
		case ctx.Err() != nil || failing >= toleratedFailures:
			return err
		default: // the next look tells what this one would have told; meanwhile the cache is not used
			failing++
			continue
		}
		if mark != last {
			last = mark
			r.cache.clear()
		}
		r.confirmed.Store(int64(asked))
	}
}

func (r *Responder) markNow(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	return r.Records.RevocationMark(ctx)
}
