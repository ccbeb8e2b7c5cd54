package releaselog

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

// lately records in the vault which tokens had releases in which hour, so that
// Missing need not read every token's log to check the latest. Each server writes
// its own documents, so none waits for another, and records a token once an hour:
//
//	_releases/HOUR/SERVER_N    the tokens, at most 512
type lately struct {
	kv     vault.KV
	now    func() time.Time
	server string
	turns  turns[string]

	mu    sync.Mutex
	hour  string
	noted map[string]bool // tokens already durable for this hour

	// used only by the writer
	number  int
	open    wireLately
	version int
}

// wireLately is a document's encoding in the vault.
type wireLately struct {
	Tokens []string `json:"tokens"`
}

const (
	latelyPath = "_releases"
	latelySize = 512
	// keepLately is how long the hours are kept.
	keepLately = 8 * 24 * time.Hour
)

func newLately(kv vault.KV, now func() time.Time) *lately {
	return &lately{kv: kv, now: now, server: strings.ToLower(rand.Text()[:10])}
}

// hourOf names an hour; names sort in time order.
func hourOf(t time.Time) string { return t.UTC().Format("2006-01-02T15") }

// note is durable once it returns nil.
func (l *lately) note(ctx context.Context, serial string) error {
	l.mu.Lock()
	known := l.hour == hourOf(l.now()) && l.noted[serial]
	l.mu.Unlock()
	if known {
		return nil
	}
	return l.turns.do(ctx, "", serial, func() func(context.Context, []string) error { return l.write })
}

func (l *lately) write(ctx context.Context, serials []string) error {
	hour := hourOf(l.now())
	if l.hour != hour { // only the writer changes it
		l.begin()
		l.mu.Lock()
		l.hour, l.noted = hour, map[string]bool{}
		l.mu.Unlock()
	}
	for part := range slices.Chunk(serials, latelySize/2) {
		if len(l.open.Tokens)+len(part) > latelySize {
			l.begin()
		}
		next := wireLately{append(slices.Clip(l.open.Tokens), part...)}
		data, err := vault.Encode(next)
		if err != nil {
			return err
		}
		version, err := l.kv.Put(ctx, fmt.Sprintf("%s/%s/%s_%d", latelyPath, hour, l.server, l.number), data, l.version)
		if err != nil { // unknown what is stored now: use another document
			l.begin()
			return err
		}
		l.open, l.version = next, version
		l.mu.Lock()
		for _, serial := range part {
			l.noted[serial] = true
		}
		l.mu.Unlock()
	}
	return nil
}

// begin starts another document.
func (l *lately) begin() { l.number, l.open, l.version = l.number+1, wireLately{}, 0 }

// since returns the tokens with releases since then, sorted. If that is longer ago
// than the hours are kept, all is false and there are none.
func (l *lately) since(ctx context.Context, since time.Time) (serials []string, all bool, err error) {
	if since.Before(l.now().Add(-keepLately + time.Hour)) {
		return nil, false, nil
	}
	hours, err := l.kv.List(ctx, latelyPath)
	if err != nil {
		return nil, false, vault.Fault(err)
	}
	for _, hour := range hours {
		hour = strings.TrimSuffix(hour, "/")
		if hour < hourOf(since) {
			continue
		}
		names, err := l.kv.List(ctx, latelyPath+"/"+hour)
		if err != nil {
			return nil, false, vault.Fault(err)
		}
		for _, name := range names {
			v, err := l.kv.Get(ctx, latelyPath+"/"+hour+"/"+name)
			if errors.Is(err, vault.ErrNotFound) { // deleted by the vault's operator
				continue
			}
			if err != nil {
				return nil, false, vault.Fault(err)
			}
			var of wireLately
			if err := v.Data.Decode(&of); err != nil {
				return nil, false, fmt.Errorf("%s/%s/%s in the vault: %w", latelyPath, hour, name, err)
			}
			serials = append(serials, of.Tokens...)
		}
	}
	slices.Sort(serials)
	return slices.Compact(serials), true, nil
}

// tidy removes hours past keepLately.
func (l *lately) tidy(ctx context.Context) error {
	hours, err := l.kv.List(ctx, latelyPath)
	for _, hour := range hours {
		hour = strings.TrimSuffix(hour, "/")
		if hour >= hourOf(l.now().Add(-keepLately)) || err != nil {
			break
		}
		var names []string
		names, err = l.kv.List(ctx, latelyPath+"/"+hour)
		for _, name := range names {
			err = errors.Join(err, l.kv.DestroyPath(ctx, latelyPath+"/"+hour+"/"+name))
		}
	}
	return vault.Fault(err)
}
