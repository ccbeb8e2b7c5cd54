package cert

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// IssuanceLog is what the vault takes down of certificates before it signs
// them, and of what became of each: on record, or revoked, or never signed
// (contract, "Audit"). Whoever changes the database alone cannot change it, and
// a certificate that was signed and never recorded is found by it.
//
//	TakeDown ──▶ _issuances/open/ID ── all of its entries settled ──▶ _issuances/settled/DAY/ID
//
// Callers at once share one document, so that a busy server writes few. Make
// it with NewIssuanceLog.
type IssuanceLog struct {
	kv  vault.KV
	now func() time.Time

	writing sync.Mutex // one batch is written at a time; meanwhile the next gathers

	mu      sync.Mutex
	next    *taking           // gathers
	waiting map[string]*sheet // by id: written by this process and not settled yet
}

// NewIssuanceLog makes a log in the vault.
func NewIssuanceLog(kv vault.KV, now func() time.Time) *IssuanceLog {
	return &IssuanceLog{kv: kv, now: now, waiting: map[string]*sheet{}}
}

// Paths of the log; the names hold an underscore, as no token's do.
const (
	openIssuances    = "_issuances/open"
	settledIssuances = "_issuances/settled"
)

// maxTaking is how many entries one document holds at most.
const maxTaking = 256

// Issuance is what is taken down of a certificate.
type Issuance struct {
	HWKeySerial     string  `json:"hwkey_serial"`
	Slot            string  `json:"slot"`
	Account         int64   `json:"account"`           // 0 for an API key
	APIKey          int64   `json:"api_key,omitempty"` // 0 for a person
	CSRSHA256       string  `json:"csr_sha256"`        // hex, of its DER
	PublicKeySHA256 string  `json:"public_key_sha256"` // hex, of the SubjectPublicKeyInfo
	Outcome         Outcome `json:"outcome,omitempty"` // empty until it is settled
	SerialNumber    string  `json:"serial_number,omitempty"`
}

// Outcome is what became of an issuance.
type Outcome string

// The outcomes.
const (
	Recorded  Outcome = "recorded"  // with its serial number
	Discarded Outcome = "discarded" // signed, not recorded, and revoked
	NotSigned Outcome = "not_signed"
)

// sheet is a document of the log.
type sheet struct {
	At      time.Time  `json:"at"`
	Entries []Issuance `json:"entries"`
}

func (p *sheet) settled() bool {
	for _, e := range p.Entries {
		if e.Outcome == "" {
			return false
		}
	}
	return true
}

// taking is a sheet that gathers entries until it is written.
type taking struct {
	sheet
	id      string
	written chan struct{}
	err     error // after written
}

// Place is where an issuance was taken down.
type Place struct {
	id    string
	index int
}

// TakeDown is durable when it returns nil: only then may the certificate be
// signed.
func (l *IssuanceLog) TakeDown(ctx context.Context, i Issuance) (Place, error) {
	l.mu.Lock()
	t := l.next
	first := t == nil || len(t.Entries) == maxTaking
	if first {
		t = &taking{id: fmt.Sprintf("%016d_%s", l.now().UnixMicro(), strings.ToLower(rand.Text()[:8])), written: make(chan struct{})}
		l.next = t
	}
	t.Entries = append(t.Entries, i)
	place := Place{t.id, len(t.Entries) - 1}
	l.mu.Unlock()
	if first {
		// Others wait for this write: it does not end with the one who asked.
		go l.write(context.WithoutCancel(ctx), t)
	}
	select {
	case <-t.written:
		return place, t.err
	case <-ctx.Done(): // whoever has gone has nothing signed
		l.mu.Lock()
		t.Entries[place.index].Outcome = NotSigned
		l.mu.Unlock()
		return Place{}, fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
	}
}

// writeTimeout is how long the vault may take for a sheet.
const writeTimeout = 20 * time.Second

func (l *IssuanceLog) write(ctx context.Context, t *taking) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	if l.next == t {
		l.next = nil
	}
	t.At = l.now().UTC()
	written := t.sheet // nobody adds to it any more
	written.Entries = slices.Clone(t.Entries)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	t.err = l.put(ctx, openIssuances+"/"+t.id, written)
	if t.err == nil {
		l.mu.Lock()
		l.waiting[t.id] = &t.sheet
		l.mu.Unlock()
	}
	close(t.written)
}

func (l *IssuanceLog) put(ctx context.Context, path string, p sheet) error {
	data, err := vault.Encode(p)
	if err == nil {
		_, err = l.kv.Put(ctx, path, data, 0)
	}
	return err
}

// Settle notes what became of an issuance. It writes nothing: Flush does.
func (l *IssuanceLog) Settle(p Place, o Outcome, serialNumber string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sheet := l.waiting[p.id]; sheet != nil {
		sheet.Entries[p.index].Outcome, sheet.Entries[p.index].SerialNumber = o, serialNumber
	}
}

// Flush moves the sheets of this process whose entries are all settled.
func (l *IssuanceLog) Flush(ctx context.Context) error {
	l.mu.Lock()
	ready := map[string]sheet{}
	for id, p := range l.waiting {
		switch {
		case p.settled():
			ready[id] = *p
		case l.now().Sub(p.At) > unrecordedAfter: // Reconcile asks the vault and the database instead
			delete(l.waiting, id)
		}
	}
	l.mu.Unlock()
	var failed error
	for id, p := range ready {
		if err := l.move(ctx, id, p); err != nil {
			failed = errors.Join(failed, vault.Fault(err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
	}
	return failed
}

// move is repeatable: a sheet that was settled before stays as it was.
func (l *IssuanceLog) move(ctx context.Context, id string, p sheet) error {
	err := l.put(ctx, settledIssuances+"/"+p.At.Format(time.DateOnly)+"/"+id, p)
	if err != nil && !errors.Is(err, vault.ErrCAS) {
		return err
	}
	return l.kv.DestroyPath(ctx, openIssuances+"/"+id)
}

// unrecordedAfter is how old an issuance is before what became of it is looked
// for: no request takes that long.
const unrecordedAfter = 10 * time.Minute

// overdue gives the ids of the sheets that are open for too long, of any
// process.
func (l *IssuanceLog) overdue(ctx context.Context) ([]string, error) {
	ids, err := l.kv.List(ctx, openIssuances)
	if err != nil {
		return nil, err
	}
	limit := fmt.Sprintf("%016d", l.now().Add(-unrecordedAfter).UnixMicro())
	var out []string
	for _, id := range ids {
		if id < limit {
			out = append(out, id)
		}
	}
	return out, nil
}

// read gives an open sheet; nil when it was settled meanwhile.
func (l *IssuanceLog) read(ctx context.Context, id string) (*sheet, error) {
	v, err := l.kv.Get(ctx, openIssuances+"/"+id)
	if errors.Is(err, vault.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var p sheet
	if err := v.Data.Decode(&p); err != nil {
		return nil, fmt.Errorf("%s/%s in the vault is no page of the issuance log: see who has written it, and delete it (%w)",
			openIssuances, id, err)
	}
	return &p, nil
}
