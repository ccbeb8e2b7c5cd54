package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/keyward/keyward/internal/textinput"
)

// errUnreached means that no connection could be made.
var errUnreached = errors.New("store: the database server cannot be reached")

// errNoAnswer means that the server said nothing for longer than any statement may take.
var errNoAnswer = errors.New("store: the database server does not answer")

// connector makes connections that bound every wait, and pass on texts as PostgreSQL accepts them.
type connector struct {
	driver.Connector

	patience    time.Duration // for a statement; zero: unbounded
	reads       bool          // nothing is ever changed over them
	timelines   *timelines    // nil when any server will do
	credentials *credentials
	share       *share // nil: it has none
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	var conn driver.Conn
	err := c.credentials.connect(func() (err error) {
		conn, err = c.Connector.Connect(ctx)
		return err
	})
	if err != nil {
		if crowded(err) && c.share != nil {
			c.share.refuse()
		}
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", errUnreached, readOnlyConnect(err))
	}
	c.share.took(1)
	std, ok := conn.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("store: a connection of type %T", conn)
	}
	return &link{std, c.patience, c.reads, c.timelines, c.share}, nil
}

// link is a connection. On one that only reads, a query whose connection turns out to be broken, or
// that a migration stopped, is repeated over another: database/sql does so for driver.ErrBadConn.
type link struct {
	*stdlib.Conn

	patience  time.Duration
	reads     bool
	timelines *timelines
	share     *share
}

// Close implements driver.Conn.
func (l *link) Close() error {
	defer l.share.took(-1)
	return l.Conn.Close()
}

// answersWithin is how soon a server must confirm an idle connection.
const answersWithin = 2 * time.Second

// ResetSession implements driver.SessionResetter. Unbounded, a network that swallows everything
// would block it until TCP gives up.
func (l *link) ResetSession(ctx context.Context) error {
	if l.timelines != nil && l.timelines.replaced(l.Conn.Conn().PgConn()) {
		return driver.ErrBadConn
	}
	bounded, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	return l.Conn.ResetSession(bounded)
}

// bound limits a wait to the connection's patience.
func (l *link) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.patience == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, l.patience, errNoAnswer)
}

// CheckNamedValue implements driver.NamedValueChecker. A text in PostgreSQL is UTF-8 without NUL
// characters. In a client's search, a mark replaces anything else. Stored texts are valid already:
// other names are refused, and entries of the audit log are made so.
func (l *link) CheckNamedValue(v *driver.NamedValue) error {
	v.Value = storable(v.Value)
	return l.Conn.CheckNamedValue(v)
}

func storable(value any) any {
	switch text := value.(type) {
	case string:
		return textinput.Storable(text)
	case *string:
		if text != nil {
			return textinput.Storable(*text)
		}
	}
	return value
}

// QueryContext implements driver.QueryerContext.
func (l *link) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	bounded, cancel := l.bound(ctx)
	rows, err := l.Conn.QueryContext(bounded, query, args)
	if err != nil {
		err = l.explain(ctx, bounded, err)
		cancel()
		return nil, err
	}
	std, ok := rows.(*stdlib.Rows)
	if !ok {
		cancel()
		return nil, fmt.Errorf("store: rows of type %T", rows)
	}
	return boundRows{std, cancel}, nil
}

// ExecContext implements driver.ExecerContext.
func (l *link) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	bounded, cancel := l.bound(ctx)
	defer cancel()
	result, err := l.Conn.ExecContext(bounded, query, args)
	return result, l.explain(ctx, bounded, err)
}

// explain distinguishes a wait that was given up from one that the caller ended.
func (l *link) explain(ctx, bounded context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case context.Cause(bounded) == errNoAnswer: //nolint:errorlint // the cause is this very value
		return fmt.Errorf("%w: %w", errNoAnswer, err)
	case l.reads && (broken(err) || deadlocked(err)):
		return driver.ErrBadConn
	}
	return err
}

// boundRows end their wait when they are closed.
type boundRows struct {
	*stdlib.Rows

	cancel context.CancelFunc
}

// Close implements driver.Rows.
func (r boundRows) Close() error {
	defer r.cancel()
	return r.Rows.Close()
}

// broken reports whether an error ended the connection: whatever was under way did not happen,
// unless it was a COMMIT.
func broken(err error) bool {
	if state, ok := sqlState(err); ok {
		// PostgreSQL, appendix A: 08 connection exception, 57P the server is going down, crashed or
		// not up, 25P03 the transaction was idle too long.
		return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "57P") || state == "25P03"
	}
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, errNoAnswer) || pgconn.SafeToRetry(err) {
		return true
	}
	_, network := errors.AsType[net.Error](err)
	return network || strings.Contains(err.Error(), "conn closed")
}
