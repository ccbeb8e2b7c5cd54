package objstore

import (
	"context"
	"errors"
	"io"
	"time"
)

// Errors that are the causes of faults; test with errors.Is.
var (
	// ErrInvalid: no key of this store, or settings that cannot be right. Nothing
	// was done.
	ErrInvalid = errors.New("object store: invalid")
	// ErrNotFound: no object has that key.
	ErrNotFound = errors.New("object store: not found")
	// ErrExists: an object has that key already. It is as it was.
	ErrExists = errors.New("object store: exists already")
	// ErrLocked: the store keeps the object for a time that has not passed.
	ErrLocked = errors.New("object store: locked")
	// ErrFull: the store has no more room. Nothing was written.
	ErrFull = errors.New("object store: full")
	// ErrUnsure: an object was sent whole, but the answer was lost, and the store
	// does not say whether it is there. Stat tells, once the store answers again.
	ErrUnsure = errors.New("object store: outcome unknown")
	// ErrLeft: a write failed, and what it has written could not be deleted.
	ErrLeft = errors.New("object store: left behind")
	// ErrUnavailable: the store cannot be reached, or does not let us in. A Put
	// with this error has written nothing.
	ErrUnavailable = errors.New("object store: unavailable")
)

// Limits of the specification ("Limits").
const (
	// Patience is how long one operation may take.
	Patience = 30 * time.Minute
	// LinkLifetime is how long a link leads to its object.
	LinkLifetime = time.Hour
	// MaxListed is the most backups that are listed.
	MaxListed = 1000
)

// Object is one that is in the store.
type Object struct {
	Key        string    // with the prefix
	Size       int64     // bytes
	ModifiedAt time.Time // when the store took it, by the store's clock; UTC
}

// Link leads to an object for whoever has it, without signing in: it is a secret for
// as long as it lasts.
type Link struct {
	URL       string
	ExpiresAt time.Time // UTC, whole seconds
}

// Store keeps objects. Its methods may be called at once. Each operation ends after
// Patience.
type Store interface {
	// Prefix is what all keys begin with.
	Prefix() string
	// Put writes an object from a stream, to its end: all of it or nothing, and
	// durable when Put returns nil. It does not close the reader. ErrExists: the key
	// is taken. ErrUnsure: nobody knows. ErrLeft: it is there, and must not be. After
	// every other error, and after the context's end, the object is not there.
	Put(ctx context.Context, key string, content io.Reader) (Object, error)
	// Stat tells of an object. ErrNotFound.
	Stat(ctx context.Context, key string) (Object, error)
	// Open reads an object from an offset on, at most length bytes; -1 is to the
	// end. Past the end there is nothing, which is no error. ErrNotFound. Patience
	// counts until Close, and a reader that has not come to its end never ends in
	// io.EOF.
	Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
	// Each yields every backup, in no particular order, until the callback returns
	// an error, which Each returns.
	Each(ctx context.Context, each func(Object) error) error
	// Delete removes objects. Of an absent one it is no error, so that it can be
	// repeated when an answer was lost. ErrLocked: one of them is locked, so that all
	// stay, and are not even hidden. Where a bucket keeps versions, what it lists is
	// what counts.
	Delete(ctx context.Context, keys ...string) error
	// Versioned tells whether what was deleted stays as a version, as far as the store
	// says so.
	Versioned(ctx context.Context) (bool, error)
	// Link makes a link to an object, for LinkLifetime. ErrNotFound.
	Link(ctx context.Context, key string) (Link, error)
	// Sweep removes what unfinished writes of backups have left that began before a
	// time, and says how many. A write that is still under way must be younger:
	// Abandoned ago is right.
	Sweep(ctx context.Context, before time.Time) (int, error)
	// Close ends idle connections.
	Close() error
}

// Abandoned is the age of what nobody writes any more: longer than a backup may run.
const Abandoned = 3 * time.Hour

// Limit is a context that ends after a time, with a cause that TimedOut knows.
func Limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errTime)
}

// TimedOut tells whether a context has ended because of its Limit.
func TimedOut(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTime) }

var errTime = errors.New("object store: the operation has taken too long")
