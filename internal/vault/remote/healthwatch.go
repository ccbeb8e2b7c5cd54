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

// healthWatch knows whether the vault is available.
type healthWatch struct {
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
func (h *healthWatch) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.away
}

// until cancels a call when the vault is found to be away.
func (h *healthWatch) until(cancel context.CancelFunc) (stop func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.there == nil {
		h.there, h.leave = context.WithCancel(h.ctx)
	}
	return context.AfterFunc(h.there, cancel)
}

// noAnswer reports whether an error means that the vault as a whole may be away, not just that it
// refused this request.
func noAnswer(err error) bool {
	return errors.Is(err, vault.ErrUnavailable) && !errors.Is(err, vault.ErrDenied) && !errors.Is(err, vault.ErrBusy)
}

// suspect starts probing, unless that is under way. It drops idle connections, since the network
// may have forgotten them, and each would cost a probe its time.
func (h *healthWatch) suspect(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.probing || h.ctx.Err() != nil {
		return
	}
	h.probing = true
	h.forget()
	h.log.Debug("the vault did not answer; checking its health", "error", err)
	h.tasks.Go(h.watch)
}

// watch probes until the vault is well.
func (h *healthWatch) watch() {
	for pause := probeSoon; ; pause = min(2*pause, probeLate) {
		err := h.probe(h.ctx)
		if h.found(err) || h.ctx.Err() != nil {
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-h.ctx.Done():
			timer.Stop()
			return
		}
	}
}

// found records the result of a probe and reports whether watch is done.
func (h *healthWatch) found(err error) (well bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.away
	h.away = err
	if err != nil && h.there != nil {
		h.leave()
		h.there = nil
	}
	switch {
	case err == nil:
		h.probing = false
		if before != nil {
			h.log.Info("the vault answers again")
		}
	case h.ctx.Err() == nil && (before == nil || before.Error() != err.Error()):
		h.log.Error("the vault is not available: operations that need it are rejected until it is healthy again", "error", err)
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
