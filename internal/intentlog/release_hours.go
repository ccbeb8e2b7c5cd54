package intentlog

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

// recent records in the vault which tokens had releases in which hour, so that
// Missing need not read every token's log to check the latest. Each server writes
// its own documents, so none waits for another, and records a token once an hour:
//
//	_releases/HOUR/SERVER_N    the tokens, at most 512
type recent struct {
	kv      vault.KV
	now     func() time.Time
	server  string
	batches batcher[string]

	mu    sync.Mutex
	hour  string
	noted map[string]bool // tokens already durable for this hour

	// used only by the writer
	number  int
	open    wireRecent
	version int
}

// wireRecent is a document's encoding in the vault.
type wireRecent struct {
	Tokens []string `json:"tokens"`
}

const (
	recentPath = "_releases"
	recentSize = 512
	// keepRecent is how long the hours are kept.
	keepRecent = 8 * 24 * time.Hour
)

func newRecent(kv vault.KV, now func() time.Time) *recent {
	return &recent{kv: kv, now: now, server: strings.ToLower(rand.Text()[:10])}
}

// hourOf names an hour; names sort in time order.
func hourOf(t time.Time) string { return t.UTC().Format("2006-01-02T15") }

// note is durable once it returns nil.
func (l *recent) note(ctx context.Context, serial string) error {
	l.mu.Lock()
	known := l.hour == hourOf(l.now()) && l.noted[serial]
	l.mu.Unlock()
	if known {
		return nil
	}
	return l.batches.do(ctx, "", serial, func() func(context.Context, []string) error { return l.write })
}

func (l *recent) write(ctx context.Context, serials []string) error {
	hour := hourOf(l.now())
	if l.hour != hour { // only the writer changes it
		l.begin()
		l.mu.Lock()
		l.hour, l.noted = hour, map[string]bool{}
		l.mu.Unlock()
	}
	for part := range slices.Chunk(serials, recentSize/2) {
		if len(l.open.Tokens)+len(part) > recentSize {
			l.begin()
		}
		next := wireRecent{append(slices.Clip(l.open.Tokens), part...)}
		data, err := vault.Encode(next)
		if err != nil {
			return err
		}
		version, err := l.kv.Put(ctx, fmt.Sprintf("%s/%s/%s_%d", recentPath, hour, l.server, l.number), data, l.version)
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
func (l *recent) begin() { l.number, l.open, l.version = l.number+1, wireRecent{}, 0 }

// since returns the tokens with releases since then, sorted. If that is longer ago
// than the hours are kept, all is false and there are none.
func (l *recent) since(ctx context.Context, since time.Time) (serials []string, all bool, err error) {
	if since.Before(l.now().Add(-keepRecent + time.Hour)) {
		return nil, false, nil
	}
	hours, err := l.kv.List(ctx, recentPath)
	if err != nil {
		return nil, false, vault.Fault(err)
	}
	for _, hour := range hours {
		hour = strings.TrimSuffix(hour, "/")
		if hour < hourOf(since) {
			continue
		}
		names, err := l.kv.List(ctx, recentPath+"/"+hour)
		if err != nil {
			return nil, false, vault.Fault(err)
		}
		for _, name := range names {
			v, err := l.kv.Get(ctx, recentPath+"/"+hour+"/"+name)
			if errors.Is(err, vault.ErrNotFound) { // deleted by the vault's operator
				continue
			}
			if err != nil {
				return nil, false, vault.Fault(err)
			}
			var of wireRecent
			if err := v.Data.Decode(&of); err != nil {
				return nil, false, fmt.Errorf("%s/%s/%s in the vault: %w", recentPath, hour, name, err)
			}
			serials = append(serials, of.Tokens...)
		}
	}
	slices.Sort(serials)
	return slices.Compact(serials), true, nil
}

// tidy removes hours past keepRecent.
func (l *recent) tidy(ctx context.Context) error {
	hours, err := l.kv.List(ctx, recentPath)
	for _, hour := range hours {
		hour = strings.TrimSuffix(hour, "/")
		if hour >= hourOf(l.now().Add(-keepRecent)) || err != nil {
			break
		}
		var names []string
		names, err = l.kv.List(ctx, recentPath+"/"+hour)
		for _, name := range names {
			err = errors.Join(err, l.kv.DestroyPath(ctx, recentPath+"/"+hour+"/"+name))
		}
	}
	return vault.Fault(err)
}
