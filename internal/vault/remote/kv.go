package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keyward/keyward/internal/vault"
)

// kv returns the path of a KV v2 operation on a document.
func (e *Engine) kv(operation, path string) (string, error) {
	if err := vault.CheckPath(path); err != nil {
		return "", err
	}
	// None of the characters that a path may have needs escaping; the segments stay as they are.
	return e.opts.Mounts.KV + "/" + operation + "/" + (&url.URL{Path: path}).EscapedPath(), nil
}

// Get implements vault.KV.
func (e *Engine) Get(ctx context.Context, path string) (vault.Version, error) {
	at, err := e.kv("data", path)
	if err != nil {
		return vault.Version{}, err
	}
	a, err := e.read(ctx, call{method: http.MethodGet, path: at})
	if err != nil {
		return vault.Version{}, err
	}
	var said struct {
		Data     jsontext.Value `json:"data"`
		Metadata struct {
			Version int `json:"version"`
		} `json:"metadata"`
	}
	if err := a.decode(&said); err != nil {
		return vault.Version{}, err
	}
	if said.Metadata.Version < 1 || said.Data.Kind() != '{' {
		return vault.Version{}, unprepared("the mount " + e.opts.Mounts.KV + " is no KV version 2")
	}
	return vault.Version{Number: said.Metadata.Version, Data: vault.Data(said.Data)}, nil
}

// Pauses before a read that met a change is sent again: they double.
const (
	readAgain = 20 * time.Millisecond
	readLast  = 160 * time.Millisecond
)

// read sends a read of a document's version. During a change the vault may find the new list of
// versions, but not yet, or no longer, the version itself: it then answers with a 500.
func (e *Engine) read(ctx context.Context, c call) (answer, error) {
	for pause := readAgain; ; pause *= 2 {
		a, err := e.do(ctx, c)
		r, ok := errors.AsType[*refusal](err)
		if !ok || r.status != http.StatusInternalServerError || !r.says("could not find version data") || pause > readLast {
			return a, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return a, err
		}
	}
}

// Put implements vault.KV.
func (e *Engine) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	at, err := e.kv("data", path)
	if err != nil {
		return 0, err
	}
	if cas < 0 {
		return 0, invalid("the expected version is negative")
	}
	if err := data.Check(); err != nil {
		return 0, err
	}
	if err := checkNumbers(data); err != nil {
		return 0, err
	}
	body := fmt.Appendf(nil, `{"options":{"cas":%d},"data":`, cas)
	body = append(append(body, data...), '}')
	a, err := e.do(ctx, call{method: http.MethodPost, path: at, body: jsontext.Value(body)})
	if r, ok := errors.AsType[*refusal](err); ok && r.status == http.StatusBadRequest && r.says("check-and-set parameter did not match") {
		return 0, vault.ErrCAS
	}
	if err != nil {
		return 0, err
	}
	var said struct {
		Version int `json:"version"`
	}
	if err := a.decode(&said); err != nil {
		return 0, err
	}
	if said.Version != cas+1 {
		return 0, unprepared("the mount " + e.opts.Mounts.KV + " is no KV version 2")
	}
	return said.Version, nil
}

// Metadata implements vault.KV.
func (e *Engine) Metadata(ctx context.Context, path string) (vault.Metadata, error) {
	at, err := e.kv("metadata", path)
	if err != nil {
		return vault.Metadata{}, err
	}
	a, err := e.do(ctx, call{method: http.MethodGet, path: at})
	if err != nil {
		return vault.Metadata{}, err
	}
	var said struct {
		Current int       `json:"current_version"`
		Created time.Time `json:"created_time"`
		Updated time.Time `json:"updated_time"`
	}
	if err := a.decode(&said); err != nil {
		return vault.Metadata{}, err
	}
	if said.Current == 0 { // only the path's own settings were ever written
		return vault.Metadata{}, vault.ErrNotFound
	}
	return vault.Metadata{CurrentVersion: said.Current, CreatedAt: said.Created, UpdatedAt: said.Updated}, nil
}

// DestroyPath implements vault.KV.
func (e *Engine) DestroyPath(ctx context.Context, path string) error {
	at, err := e.kv("metadata", path)
	if err != nil {
		return err
	}
	_, err = e.do(ctx, call{method: http.MethodDelete, path: at})
	if errors.Is(err, vault.ErrNotFound) {
		return nil
	}
	return err
}

// List implements vault.KV.
func (e *Engine) List(ctx context.Context, prefix string) ([]string, error) {
	at := e.opts.Mounts.KV + "/metadata/"
	if prefix != "" {
		below, err := e.kv("metadata", prefix)
		if err != nil {
			return nil, err
		}
		at = below + "/"
	}
	names, err := e.list(ctx, at)
	slices.Sort(names)
	return names, err
}

// list returns what the vault lists at a path; an empty list is no error.
func (e *Engine) list(ctx context.Context, path string) ([]string, error) {
	a, err := e.do(ctx, call{method: http.MethodGet, path: path + "?list=true", long: true})
	if errors.Is(err, vault.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var said struct {
		Keys []string `json:"keys"`
	}
	if err := a.decode(&said); err != nil {
		return nil, err
	}
	return said.Keys, nil
}

// unprepared: the vault is not as keyward vault setup makes it.
func unprepared(what string) error {
	return fmt.Errorf("%w: %s: run keyward vault setup", vault.ErrDenied, what)
}
