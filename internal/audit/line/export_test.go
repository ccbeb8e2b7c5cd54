package line_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
	"github.com/keyward/keyward/internal/page"
)

// endless generates entries on request, and more are written meanwhile.
type endless struct{ newest int64 }

func (e *endless) NewestAudit(context.Context) (int64, error) { return e.newest, nil }

func (e *endless) ListAudit(_ context.Context, _ access.Scope, f audit.Filter, p page.Request) (page.Page[audit.Entry], error) {
	e.newest += 100 // others write meanwhile
	last := min(e.newest, f.UpTo)
	if p.Before != 0 {
		last = p.Before - 1
	}
	rows := make([]audit.Entry, 0, p.Limit+1)
	for id := last; id > 0 && len(rows) <= p.Limit; id-- {
		rows = append(rows, audit.Entry{ID: id, Action: "auth.login", Outcome: audit.Success, Details: strings.Repeat("x", 200)})
	}
	count := func() (page.Count, error) { return page.Count{}, nil }
	return page.Make(rows, p, func(e audit.Entry) int64 { return e.ID }, count)
}

func TestExportEnds(t *testing.T) {
	t.Parallel()
	full := errors.New("no more")
	err := line.Export(t.Context(), &endless{newest: 1 << 40}, access.All(), audit.Filter{}, line.CSV, func([]byte) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("got %v, want the error of write", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = line.Export(ctx, &endless{newest: 1 << 40}, access.All(), audit.Filter{}, line.CSV, func([]byte) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	var out bytes.Buffer
	err = line.Export(t.Context(), &endless{}, access.All(), audit.Filter{}, line.CSV, func(b []byte) error { out.Write(b); return nil })
	if err != nil || out.String() != line.CSVHeader {
		t.Errorf("nothing to export: %q, %v", out.String(), err)
	}
}
