package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/keyward/keyward/internal/vault"
)

// How the vault's health is probed: how long a probe may take, and the pauses between probes while
// the vault is away.
const (
	probeTimeout = 2 * time.Second
	probeSoon    = 200 * time.Millisecond
	probeLate    = 5 * time.Second
)

// breaker knows whether the vault is available.
type breaker struct {
	probe  func(context.Context) error // ends by itself
	forget func()                      // closes the connections that no call uses
	log    *slog.Logger
	ctx    context.Context // of the probing, until the engine is closed
	tasks  *sync.WaitGroup

	mu      sync.Mutex
	probing bool
	away    error           // nil: calls are let through
	there   context.Context // ends when the vault is found to be away; nil until needed
	leave   context.CancelFunc
}

// check returns why a call would be in vain, or nil.
func (b *breaker) check() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away
}

// until cancels a call when the vault is found to be away.
func (b *breaker) until(cancel context.CancelFunc) (stop func() bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.there == nil {
		b.there, b.leave = context.WithCancel(b.ctx)
	}
	return context.AfterFunc(b.there, cancel)
}

// noAnswer reports whether an error means that the vault as a whole may be away, not just that it
// refused this request.
func noAnswer(err error) bool {
	return errors.Is(err, vault.ErrUnavailable) && !errors.Is(err, vault.ErrDenied) && !errors.Is(err, vault.ErrBusy)
}

// suspect starts probing, unless that is under way. It drops idle connections, since the network
// may have forgotten them, and each would cost a probe its time.
func (b *breaker) suspect(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.probing || b.ctx.Err() != nil {
		return
	}
	b.probing = true
	b.forget()
	b.log.Debug("the vault did not answer; checking its health", "error", err)
	b.tasks.Go(b.watch)
}

// watch probes until the vault is well.
func (b *breaker) watch() {
	for pause := probeSoon; ; pause = min(2*pause, probeLate) {
		err := b.probe(b.ctx)
		if b.found(err) || b.ctx.Err() != nil {
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-b.ctx.Done():
			timer.Stop()
			return
		}
	}
}

// found records the result of a probe and reports whether watch is done.
func (b *breaker) found(err error) (well bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.away
	b.away = err
	if err != nil && b.there != nil {
		b.leave()
		b.there = nil
	}
	switch {
	case err == nil:
		b.probing = false
		if before != nil {
			b.log.Info("the vault answers again")
		}
	case b.ctx.Err() == nil && (before == nil || before.Error() != err.Error()):
		b.log.Error("the vault is not available: operations that need it are rejected until it is healthy again", "error", err)
	}
	return err == nil
}

// health asks how the vault is; nil is well. Every node answers, without a token, and soon. A
// standby says that all is well even if no node is active, so it is asked for the active one.
func (w *wire) health(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	a, err := w.send(ctx, call{method: http.MethodGet, path: "sys/health?standbyok=true&perfstandbyok=true", root: true})
	if err != nil {
		return err
	}
	var said struct {
		Initialized *bool `json:"initialized"`
		Sealed      bool  `json:"sealed"`
		Standby     bool  `json:"standby"`
	}
	switch err := json.Unmarshal(a.body, &said); {
	case err != nil || said.Initialized == nil:
		return fmt.Errorf("%w: what answers with status %d is not Vault or OpenBao (check VAULT_ADDR)", vault.ErrUnavailable, a.status)
	case !*said.Initialized:
		return fmt.Errorf("%w: it is not initialized", vault.ErrSealed)
	case said.Sealed:
		return vault.ErrSealed
	case a.status != http.StatusOK:
		return fmt.Errorf("%w: its health is status %d", vault.ErrStandby, a.status)
	case said.Standby:
		return w.led(ctx)
	}
	return nil
}

// led returns ErrStandby if the answering node knows of no active one. A node that does not say
// counts as led.
func (w *wire) led(ctx context.Context) error {
	a, err := w.send(ctx, call{method: http.MethodGet, path: "sys/leader", root: true})
	if err != nil {
		return err
	}
	var said struct {
		HA      bool    `json:"ha_enabled"`
		Address *string `json:"leader_address"`
	}
	if a.status == http.StatusOK && json.Unmarshal(a.body, &said) == nil && said.HA && said.Address != nil && *said.Address == "" {
		return fmt.Errorf("%w: no node is active", vault.ErrStandby)
	}
	return nil
}
