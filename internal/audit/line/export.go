package line

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// Format is the format of an export.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

// ContentType returns the media type of a format.
func (f Format) ContentType() string {
	if f == CSV {
		return "text/csv; charset=utf-8; header=present"
	}
	return "application/x-ndjson"
}

// Sizes of an export.
const (
	exportPage  = 1000     // entries fetched at once: no read transaction lasts longer
	exportAhead = 2        // pages fetched ahead while others are written
	exportChunk = 64 << 10 // approximate bytes per write
)

// Lister is the part of audit.Store that an export reads.
type Lister interface {
	ListAudit(ctx context.Context, scope access.Scope, f audit.Filter, p page.Request) (page.Page[audit.Entry], error)
	NewestAudit(ctx context.Context) (int64, error)
}

// Export passes every entry that matches the filter, newest first, to write: in
// bounded memory, and without an open read transaction while write waits for a slow
// client. Entries written after it has begun are omitted. It stops at the first
// error of the store or of write, or when ctx ends.
func Export(ctx context.Context, from Lister, scope access.Scope, f audit.Filter, format Format, write func([]byte) error) error {
	newest, err := from.NewestAudit(ctx)
	if err != nil {
		return err
	}
	if f.UpTo = newest; newest == 0 {
		f.UpTo = -1
	}
	encode, buf := AppendCSV, append(make([]byte, 0, exportChunk+exportChunk/4), CSVHeader...)
	if format == NDJSON {
		encode, buf = appendLine, buf[:0]
	}
	ctx, cancel := context.WithCancel(ctx)
	pages := make(chan page.Page[audit.Entry], exportAhead)
	failed := make(chan error, 1)
	go func() {
		defer close(pages)
		failed <- fetch(ctx, from, scope, f, pages)
	}()
	defer func() { // the store must not be used after the return
		cancel()
		for range pages {
		}
	}()
	for p := range pages {
		for i := range p.Items {
			buf = encode(buf, &p.Items[i])
			if len(buf) >= exportChunk {
				if err := write(buf); err != nil {
					return err
				}
				buf = buf[:0]
			}
		}
	}
	if err := <-failed; err != nil {
		return err
	}
	return write(buf)
}

func fetch(ctx context.Context, from Lister, scope access.Scope, f audit.Filter, pages chan<- page.Page[audit.Entry]) error {
	request := page.Request{Limit: exportPage}
	for {
		p, err := from.ListAudit(ctx, scope, f, request)
		if err != nil {
			return err
		}
		select {
		case pages <- p:
		case <-ctx.Done():
			return ctx.Err()
		}
		if p.NextCursor == nil {
			return nil
		}
		request.Before = p.Items[len(p.Items)-1].ID
	}
}

func appendLine(b []byte, e *audit.Entry) []byte { return append(AppendJSON(b, e), '\n') }
