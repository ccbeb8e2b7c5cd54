package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/keyward/keyward/internal/vault"
)

// Engine is a remote vault. Its methods may be called from many goroutines.
type Engine struct {
	opts    Options
	wire    *wire
	session *session
	health  *healthWatch

	stop  context.CancelFunc
	tasks sync.WaitGroup

	cas       atomic.Pointer[authorities] // as last seen
	noOCSP    sync.Once                   // the warning that setup has to be repeated for PKI_OCSP
	oldPolicy sync.Once                   // and that for CAs
	revoked   atomic.Int64                // calls of Revoke that the CRL has to show
	building  sync.Mutex                  // one rebuilding of the CRL at a time
	shown     int64                       // how many of these it shows; under building
}

var (
	_ vault.Engine        = (*Engine)(nil)
	_ vault.RevokedLister = (*Engine)(nil)
	_ vault.Numbered      = (*Engine)(nil)
	_ vault.IssuedLister  = (*Engine)(nil)
)

// Open makes an engine and tries to log in. A vault that is away or refuses that is no error: every
// call then says so, until it is well. Errors are only about the options.
func Open(ctx context.Context, o Options) (*Engine, error) {
	e, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	e.tasks.Go(func() { e.session.keep(e.health.ctx) })
	if _, err := e.do(ctx, call{method: http.MethodGet, path: "auth/token/lookup-self"}); err != nil {
		e.opts.Logger.Error("the vault does not let Keyward in yet", "address", e.opts.Address, "error", err)
	}
	return e, nil
}

func prepare(ctx context.Context, o Options) (*Engine, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	transport, err := o.transport()
	if err != nil {
		return nil, err
	}
	w := &wire{http: client(transport), address: o.Address, namespace: o.Namespace}
	login := *w
	if o.Login.Certificate != nil { // a connection keeps the certificate that it began with, so each login has its own
		own := transport.Clone()
		own.DisableKeepAlives, own.TLSClientConfig.GetClientCertificate = true, o.Login.Certificate
		login.http = client(own)
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	e := &Engine{opts: o, wire: w, session: newSession(&login, o), stop: stop}
	e.health = &healthWatch{probe: w.health, forget: w.http.CloseIdleConnections, log: o.Logger, ctx: running, tasks: &e.tasks}
	return e, nil
}

// do sends a call with the session's token and returns its answer if that is a success. A call that
// was denied because the token had expired is sent again with a new one.
func (e *Engine) do(ctx context.Context, c call) (answer, error) { return e.within(ctx, c, e.attempt) }

// ask sends a call that needs no token.
func (e *Engine) ask(ctx context.Context, c call) (answer, error) { return e.within(ctx, c, e.once) }

// within sends a call with its timeout, unless the vault is away. A long call ends when the vault
// is found to be away meanwhile.
func (e *Engine) within(ctx context.Context, c call, send func(context.Context, call) (answer, error)) (answer, error) {
	if err := e.health.check(); err != nil {
		return answer{}, err
	}
	patience := e.opts.Timeout
	if c.long {
		patience = e.opts.patience
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.long {
		defer e.health.until(cancel)()
	}
	a, err := send(limited, c)
	// A caller that leaves says nothing about the vault.
	if err != nil && noAnswer(err) && !errors.Is(ctx.Err(), context.Canceled) {
		e.health.suspect(err)
	}
	return a, err
}

func (e *Engine) attempt(ctx context.Context, c call) (answer, error) {
	token, err := e.session.current(ctx)
	if err != nil {
		return answer{}, err
	}
	c.token = token
	a, err := e.once(ctx, c)
	if !errors.Is(err, vault.ErrDenied) || !e.session.ended(ctx, token) {
		return a, err
	}
	e.session.drop(token)
	if c.token, err = e.session.login(ctx, token); err != nil {
		return answer{}, err
	}
	return e.once(ctx, c)
}

func (e *Engine) once(ctx context.Context, c call) (answer, error) {
	a, err := e.wire.send(ctx, c)
	if err == nil {
		err = a.judge()
	}
	return a, err
}

// State implements vault.Engine.
func (e *Engine) State(ctx context.Context) vault.State {
	err := e.health.check()
	if err == nil {
		err = e.wire.health(ctx)
		if err != nil && ctx.Err() == nil {
			e.health.suspect(err)
		}
	}
	if err == nil {
		_, err = e.session.current(ctx)
	}
	switch {
	case err == nil:
		return vault.Connected
	case errors.Is(err, vault.ErrSealed):
		return vault.Sealed
	case errors.Is(err, vault.ErrDenied):
		return vault.Denied
	}
	return vault.Disconnected
}

// Close implements vault.Engine. The token is left to expire.
func (e *Engine) Close() error {
	e.stop()
	e.tasks.Wait()
	e.wire.http.CloseIdleConnections()
	return nil
}

func invalid(what string) error { return fmt.Errorf("%w: %s", vault.ErrInvalid, what) }
