package embedded

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/crl"
)

// Times of the CRL (contract, "Certificates and PKI").
const (
	crlValidity = 48 * time.Hour // from thisUpdate to nextUpdate, unless Options say otherwise
	crlRebuild  = time.Hour      // a list older than this is signed anew
)

// bigList is the size of the encoded entries, in bytes, above which memory matters more than the
// few milliseconds of a garbage collection.
const bigList = 8 << 20

// crlMark is what must survive a restart: the last CRL number and when that list was made.
type crlMark struct {
	number uint64
	made   time.Time
}

func (m crlMark) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, m.number)
	return binary.BigEndian.AppendUint64(b, uint64(m.made.Unix()))
}

func parseCRLMark(b []byte) (crlMark, error) {
	if len(b) != 16 {
		return crlMark{}, tampered("the CRL's mark is malformed")
	}
	return crlMark{binary.BigEndian.Uint64(b), time.Unix(int64(binary.BigEndian.Uint64(b[8:])), 0).UTC()}, nil
}

// revokedList makes the CRL. The last list itself holds its encoded entries, and pending those
// added since: at a million entries that is one copy of 50 MB at rest and a second one during a
// rebuild.
type revokedList struct {
	writer   *writer
	now      func() time.Time
	validity time.Duration

	ca       *authority
	key      []byte        // of its mark
	building chan struct{} // holds a token while a list is being built

	mu      sync.Mutex
	list    *crl.List // nil until the first build
	loaded  []byte    // encoded entries found at opening, until the first build
	pending []byte
	gone    map[string]bool // encoded entries before pending's, or among them, that were replaced
	dirty   bool            // pending is not empty
}

// listChange is an entry for the list.
type listChange struct {
	entry
	was *entry // the entry that it replaces; nil: none
}

func (r entry) encode(dst []byte) []byte {
	return crl.AppendEntry(dst, crl.Entry{Serial: r.serial, At: r.At, Reason: r.Reason})
}

func newRevokedList(ca *authority, first bool, w *writer, o Options, loaded []byte) *revokedList {
	return &revokedList{
		writer: w, now: o.Now, validity: o.CRLValidity, building: make(chan struct{}, 1), ca: ca, key: crlKey(ca.id, first), loaded: loaded,
	}
}

// add takes revocations that have just become durable.
func (l *revokedList) add(changes []listChange) {
	if len(changes) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range changes {
		l.pending = c.encode(l.pending)
		if c.was != nil {
			if l.gone == nil {
				l.gone = map[string]bool{}
			}
			l.gone[string(c.was.encode(nil))] = true
		}
	}
	l.dirty = true
}

// fresh returns the current list if it is complete and young enough.
func (l *revokedList) fresh() (vault.CRL, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil || l.dirty {
		return vault.CRL{}, false
	}
	age := l.now().Sub(l.list.ThisUpdate)
	// A negative age means that the clock was set back: sign with the new time.
	return l.list.CRL, -time.Second < age && age < crlRebuild
}

// current returns the list, rebuilt if needed. One build runs at a time; callers that waited take
// its result if it shows all they must see, so any number of calls after a revocation costs at most
// two builds.
func (l *revokedList) current(ctx context.Context) (vault.CRL, error) {
	if list, ok := l.fresh(); ok {
		return list, nil
	}
	select {
	case l.building <- struct{}{}:
		defer func() { <-l.building }()
	case <-ctx.Done():
		return vault.CRL{}, fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
	}
	if list, ok := l.fresh(); ok {
		return list, nil
	}
	return l.build(ctx)
}

func (l *revokedList) build(ctx context.Context) (vault.CRL, error) {
	now := l.now()
	number, err := l.nextNumber(ctx, now)
	if err != nil {
		return vault.CRL{}, err
	}
	l.mu.Lock()
	prev, added := l.loaded, l.pending[:len(l.pending):len(l.pending)]
	if l.list != nil {
		prev = l.list.Entries()
	}
	gone := maps.Clone(l.gone)
	l.mu.Unlock()
	if len(prev) > bigList {
		// The list before the last is garbage by now. At its own pace, the collector would let
		// several pile up.
		runtime.GC()
	}
	frame := crl.Frame{Number: number, ThisUpdate: now, NextUpdate: now.Add(l.validity)}
	list, err := crl.Build(l.ca.chain[0], l.ca.key, frame, append(crl.Without(prev, gone), crl.Without(added, gone)...)...)
	if err != nil {
		return vault.CRL{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.loaded = list, nil
	// What came in during the build waits for the next one.
	l.pending = append([]byte(nil), l.pending[len(added):]...)
	l.dirty = len(l.pending) > 0
	maps.DeleteFunc(l.gone, func(e string, _ bool) bool { return gone[e] })
	return list.CRL, nil
}

// mark returns what is stored of the last list.
func (l *revokedList) mark() (mark crlMark, err error) {
	err = l.writer.view(func(r reader) (err error) {
		mark, err = r.crlMark(l.key)
		return err
	})
	return mark, err
}

// raise makes the next list, which is built on demand, have a number above the given one.
func (l *revokedList) raise(ctx context.Context, above uint64) error {
	return l.writer.do(ctx, 0, func(t *txn) error {
		mark, err := t.crlMark(l.key)
		if err != nil || mark.number >= above {
			return err
		}
		if err := vault.CheckRaise(mark.number, above); err != nil {
			return err
		}
		mark.number = above
		return t.seal(bucketPKI, l.key, mark.encode())
	}, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.list != nil && l.list.Number <= above {
			l.dirty = true
		}
	})
}
