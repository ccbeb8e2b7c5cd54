package vaultpart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// workers is the number of concurrent reads or writes (specification, "Limits"),
// unless a vault names its own.
const workers = 20

// Source is a vault to back up.
type Source interface {
	vault.KV
	vault.RevokedLister
	CAs(ctx context.Context) ([]vault.CA, error)
	CRLNumber(ctx context.Context, ca string) (number uint64, thisUpdate time.Time, err error)
}

// Computing is a source whose reads are bound by the CPU, not by waiting for another
// machine. It names the number of concurrent reads.
type Computing interface{ ReadsAtOnce() int }

// Count counts documents.
type Count struct {
	Documents int64
	Classes   map[Class]int64
}

func (c *Count) add(path string) {
	if c.Classes == nil {
		c.Classes = map[Class]int64{}
	}
	c.Documents++
	c.Classes[ClassOf(path)]++
}

// Read passes every document of a backup, in its latest version, to a function, one
// at a time and in no particular order. It skips deleted documents, and those that
// vanish meanwhile. It stops at the first document that cannot be read, whose path
// the error names, or at the function's error.
func Read(ctx context.Context, from Source, each func(path string, data vault.Data) error) (Count, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	readers := workers
	if c, ok := from.(Computing); ok {
		readers = c.ReadsAtOnce()
	}
	r := &reader{from: from, out: make(chan document, workers), turn: make(chan struct{}, readers)}
	end := make(chan error, 1)
	go func() {
		defer close(r.out)
		end <- r.all(ctx)
	}()
	var count Count
	var refused error
	for d := range r.out {
		if refused != nil {
			continue // until the readers notice
		}
		if refused = each(d.path, d.data); refused != nil {
			cancel()
			continue
		}
		count.add(d.path)
	}
	if err := <-end; refused == nil {
		refused = err
	}
	return count, refused
}

type document struct {
	path string
	data vault.Data
}

type reader struct {
	from Source
	out  chan document
	turn chan struct{}   // one slot per concurrent read
	done map[string]bool // folders already read
}

// issuances are the folders of that log in the order in which entries move.
var issuances = []string{"_issuances/open", "_issuances/settled", "_issuances/kept", "_issuances/unrecorded"}

func (r *reader) all(ctx context.Context) error {
	if err := readPKI(ctx, r.from, func(path string, data vault.Data) error { return r.hand(ctx, path, data) }); err != nil {
		return fmt.Errorf("the vault's CA, its CRL's number or what it has revoked cannot be read: %w", err)
	}
	for _, folder := range issuances {
		if err := r.below(ctx, folder); err != nil {
			return err
		}
	}
	seal, err := chain.Closing(ctx, r.from)
	if err != nil {
		return fmt.Errorf("by what the audit log is verified (%s) cannot be read: %w", chain.ClosedPath, err)
	}
	if seal != nil {
		if err := r.hand(ctx, chain.ClosedPath, seal); err != nil {
			return err
		}
	}
	r.done = map[string]bool{"_pki": true, "audit_seal": true} // read above
	for _, folder := range issuances {
		r.done[folder] = true
	}
	names, err := r.list(ctx, "")
	if err != nil {
		return err
	}
	return r.each(ctx, "", names)
}

// below reads everything below a folder.
func (r *reader) below(ctx context.Context, folder string) error {
	names, err := r.list(ctx, folder)
	if err != nil {
		return err
	}
	return r.each(ctx, folder+"/", names)
}

func (r *reader) each(ctx context.Context, prefix string, names []string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, name := range names {
		path, isFolder := strings.CutSuffix(prefix+name, "/")
		switch {
		case !isFolder && ClassOf(path) != Own:
			group.Go(func() error { _, err := r.read(ctx, path); return err })
		case !isFolder, r.done[path], ClassOf(path+"/x") == Own:
		case prefix == "" && !strings.Contains(path, "_"):
			group.Go(func() error { return r.token(ctx, path) })
		default:
			group.Go(func() error { return r.below(ctx, path) })
		}
	}
	return group.Wait()
}

// token reads everything below a serial. In its release log the open page is read
// first: a full page is written under its number before the next one is opened, so
// all earlier pages exist. Pages from its own number on are newer, and skipped.
func (r *reader) token(ctx context.Context, serial string) error {
	names, err := r.list(ctx, serial)
	if err != nil {
		return err
	}
	log := slices.Index(names, "releases")
	if log < 0 {
		return r.each(ctx, serial+"/", names)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "releases" || name == "releases/" })
	open, err := r.read(ctx, serial+"/releases")
	if err != nil {
		return err
	}
	pages, err := r.list(ctx, serial+"/releases")
	if err != nil {
		return err
	}
	var page struct {
		Page int `json:"page"`
	}
	if open.Decode(&page) == nil { // otherwise keyward audit verify reports it
		pages = slices.DeleteFunc(pages, func(name string) bool { n, err := strconv.Atoi(name); return err == nil && n >= page.Page })
	}
	if err := r.each(ctx, serial+"/releases/", pages); err != nil {
		return err
	}
	return r.each(ctx, serial+"/", names)
}

func (r *reader) list(ctx context.Context, folder string) ([]string, error) {
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	names, err := r.from.List(ctx, folder)
	<-r.turn
	if err != nil {
		err = fmt.Errorf("what the vault holds below /%s cannot be listed: %w", folder, err)
	}
	return names, err
}

func (r *reader) wait(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read passes on one document, and returns it.
func (r *reader) read(ctx context.Context, path string) (vault.Data, error) {
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	v, err := r.from.Get(ctx, path)
	<-r.turn
	if errors.Is(err, vault.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the vault's document %s cannot be read: %w", path, err)
	}
	return v.Data, r.hand(ctx, path, v.Data)
}

func (r *reader) hand(ctx context.Context, path string, data vault.Data) error {
	select {
	case r.out <- document{path, data}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
