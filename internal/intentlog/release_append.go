package intentlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// writeTimeout limits the vault's time for a batch.
const writeTimeout = 20 * time.Second

// append is durable once it returns nil. If ctx ends first, the record may still be written.
func (l *Releases) append(ctx context.Context, serial string, r releaseRecord) error {
	return l.tokens.do(ctx, serial, r, func() func(context.Context, []releaseRecord) error {
		var at *openPage
		return func(ctx context.Context, records []releaseRecord) (err error) {
			at, err = l.write(ctx, serial, at, records)
			return err
		}
	})
}

// openPage is the open page as the vault has it.
type openPage struct {
	page

	version int // 0: there is none yet
}

// casTries bounds the attempts for a batch when other servers write in between.
const casTries = 32

// write adds records. at is the page as last seen, nil if unknown; write returns the
// current one, or nil after an error.
func (l *Releases) write(ctx context.Context, serial string, at *openPage, records []releaseRecord) (*openPage, error) {
	for range casTries {
		if at == nil {
			var err error
			if at, err = l.load(ctx, serial); err != nil {
				return nil, err
			}
		}
		next, rest, err := l.add(ctx, serial, at.page, records)
		if err != nil {
			return nil, err
		}
		if next.count == at.count { // an answer was lost; all are already there
			return at, nil
		}
		data, err := next.encode()
		if err != nil {
			return nil, err
		}
		version, err := l.kv.Put(ctx, openPagePath(serial), data, at.version)
		switch {
		case errors.Is(err, vault.ErrCAS): // another server wrote, or we did and the answer was lost
			at = nil
		case err != nil:
			return nil, err
		case len(rest) == 0:
			return &openPage{next, version}, nil
		default:
			at, records = &openPage{next, version}, rest
		}
	}
	return nil, fmt.Errorf("%w: others are writing this token's release log", vault.ErrBusy)
}

func (l *Releases) load(ctx context.Context, serial string) (*openPage, error) {
	v, err := l.kv.Get(ctx, openPagePath(serial))
	if errors.Is(err, vault.ErrNotFound) {
		return &openPage{page: firstPage(serial)}, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := decodePage(v.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", openPagePath(serial), err)
	}
	return &openPage{p, v.Number}, nil
}

// add returns the page with as many of the records as fit, skipping those it has,
// and the rest. It closes a full page first.
func (l *Releases) add(ctx context.Context, serial string, p page, records []releaseRecord) (next page, rest []releaseRecord, err error) {
	if p.full() {
		if err := l.closePage(ctx, serial, p); err != nil {
			return p, nil, err
		}
		present := p
		p = p.next()
		records = without(records, present)
	}
	for i, r := range records {
		switch {
		case p.has(r):
		case p.full():
			return p, records[i:], nil
		default:
			p = p.with(r)
		}
	}
	return p, nil, nil
}

func without(records []releaseRecord, p page) []releaseRecord {
	var out []releaseRecord
	for _, r := range records {
		if !p.has(r) {
			out = append(out, r)
		}
	}
	return out
}

// closePage writes a full page under its number. A full page never changes, so an
// earlier writer has written the same.
func (l *Releases) closePage(ctx context.Context, serial string, p page) error {
	data, err := p.encode()
	if err != nil {
		return err
	}
	at := closedPath(serial, p.number)
	_, err = l.kv.Put(ctx, at, data, 0)
	if !errors.Is(err, vault.ErrCAS) {
		return err
	}
	v, err := l.kv.Get(ctx, at)
	if err == nil && !v.Data.Same(data) {
		err = fmt.Errorf("%s in the vault is another page than the one that is to be closed: see who has written it", at)
	}
	return err
}
