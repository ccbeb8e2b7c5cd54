package releaselog

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
func (l *Log) append(ctx context.Context, serial string, r record) error {
	return l.tokens.do(ctx, serial, r, func() func(context.Context, []record) error {
		var at *openPage
		return func(ctx context.Context, records []record) (err error) {
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
func (l *Log) write(ctx context.Context, serial string, at *openPage, records []record) (*openPage, error) {
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
		version, err := l.kv.Put(ctx, path(serial), data, at.version)
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

func (l *Log) load(ctx context.Context, serial string) (*openPage, error) {
	v, err := l.kv.Get(ctx, path(serial))
	if errors.Is(err, vault.ErrNotFound) {
		return &openPage{page: open(serial)}, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := decodePage(v.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path(serial), err)
	}
	return &openPage{p, v.Number}, nil
}

// add returns the page with as many of the records as fit, skipping those it has,
// and the rest. It closes a full page first.
func (l *Log) add(ctx context.Context, serial string, p page, records []record) (next page, rest []record, err error) {
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

func without(records []record, p page) []record {
	var out []record
	for _, r := range records {
		if !p.has(r) {
			out = append(out, r)
		}
	}
	return out
}

// closePage writes a full page under its number. A full page never changes, so an
// earlier writer has written the same.
func (l *Log) closePage(ctx context.Context, serial string, p page) error {
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
