package objstore

import (
	"context"
	"errors"
	"io"
	"time"
)

// Causes of faults; test with errors.Is.
var (
	// ErrInvalid: not a key of this store, or invalid settings. Nothing was done.
	ErrInvalid = errors.New("object store: invalid")
	// ErrNotFound: no object has that key.
	ErrNotFound = errors.New("object store: not found")
	// ErrExists: an object with that key exists. It is unchanged.
	ErrExists = errors.New("object store: exists already")
	// ErrLocked: the store still keeps the object under a lock.
	ErrLocked = errors.New("object store: locked")
	// ErrFull: the store has no more room. Nothing was written.
	ErrFull = errors.New("object store: full")
	// ErrUnsure: an object was sent completely, but the answer was lost, and the store
	// does not say whether it exists. Use Stat once the store answers again.
	ErrUnsure = errors.New("object store: outcome unknown")
	// ErrLeft: a write failed, and what it wrote could not be deleted.
	ErrLeft = errors.New("object store: left behind")
	// ErrUnavailable: the store is unreachable, or denies access. A Put with this error
	// has written nothing.
	ErrUnavailable = errors.New("object store: unavailable")
)

// Limits of the specification ("Limits").
const (
	// Patience is how long one operation may take.
	Patience = 30 * time.Minute
	// LinkLifetime is how long a link is valid.
	LinkLifetime = time.Hour
	// MaxListed is the maximum number of listed backups.
	MaxListed = 1000
)

// Object describes an object in the store.
type Object struct {
	Key        string    // with the prefix
	Size       int64     // bytes
	ModifiedAt time.Time // by the store's clock; UTC
}

// Link gives access to an object without signing in: it is a secret as long as it is valid.
type Link struct {
	URL       string
	ExpiresAt time.Time // UTC, whole seconds
}

// Store stores objects. Its methods are safe for concurrent use. Each operation ends
// after Patience.
type Store interface {
	// Prefix returns the beginning of all keys.
	Prefix() string
	// Put writes an object from a stream, completely or not at all, and durably when it
	// returns nil. It does not close the reader. ErrExists: the key is in use.
	// ErrUnsure: the outcome is unknown. ErrLeft: the object exists, but must not. After
	// any other error, and after the end of the context, it does not exist.
	Put(ctx context.Context, key string, content io.Reader) (Object, error)
	// Stat describes an object. ErrNotFound.
	Stat(ctx context.Context, key string) (Object, error)
	// Open reads an object from an offset, at most length bytes; -1 reads to the end.
	// Past the end there is nothing, without an error. ErrNotFound. Patience counts
	// until Close, and an incomplete read never ends in io.EOF.
	Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
	// Each passes on every backup, in no particular order, until the callback returns an
	// error, which Each returns.
	Each(ctx context.Context, each func(Object) error) error
	// Delete removes objects. A missing one is no error, so that it can be repeated
	// after a lost answer. ErrLocked: one of them is locked, so all stay, and are not
	// even hidden. If a bucket keeps versions, only what it lists counts.
	Delete(ctx context.Context, keys ...string) error
	// Versioned reports whether deleted objects stay as versions, as far as the store
	// says so.
	Versioned(ctx context.Context) (bool, error)
	// Link returns a link to an object, valid for LinkLifetime. ErrNotFound.
	Link(ctx context.Context, key string) (Link, error)
	// Sweep removes leftovers of unfinished writes of backups begun before a time, and
	// returns their number. Writes in progress must be younger: use Abandoned ago.
	Sweep(ctx context.Context, before time.Time) (int, error)
	// Close closes idle connections.
	Close() error
}

// Abandoned is the age at which no write is in progress any more: longer than a backup may run.
const Abandoned = 3 * time.Hour

// Limit returns a context with a time limit that TimedOut recognizes.
func Limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errTime)
}

// TimedOut reports whether a context ended because of its Limit.
func TimedOut(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTime) }

var errTime = errors.New("object store: the operation has taken too long")
