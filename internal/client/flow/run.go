package flow

import (
	"context"
	"errors"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// run is one attempt of a flow.
type run struct {
	Options
	device   client.Device
	secrets  client.Secrets
	info     client.PIVInfo
	defaults client.Defaults
	agentKey client.AgentKey
	fresh    *bool // the user's answer to AskFactory
	// compromised means that the slot's key is never certified again.
	compromised bool
	wanted      wanted // the key that the slot's profile wants
	planned     bool   // the slot is one of a plan

	// held is what the card held when this attempt first looked, by field.
	held map[piv.Field]client.Candidate
	// proven is what the card holds now, by field.
	proven map[piv.Field]client.Sealed
}

// begin registers the agent with the session and reads vault and card.
func begin(ctx context.Context, o Options) (*run, error) {
	if o.Slot == "" {
		o.Slot = string(piv.Authentication)
	}
	r := &run{Options: o, held: map[piv.Field]client.Candidate{}, proven: map[piv.Field]client.Sealed{}}
	r.tell(StepAgent, "Registering the agent with the session")
	if err := r.register(ctx); err != nil {
		return nil, err
	}
	r.tell(StepRead, "Reading the vault and the token")
	return r, r.read(ctx)
}

func (r *run) tell(s Step, text string) {
	if r.Progress != nil {
		r.Progress(Event{s, text})
	}
}

func (r *run) ask(ctx context.Context, q Question, text string) (bool, error) {
	if r.Confirm == nil {
		return false, nil
	}
	return r.Confirm(ctx, q, text)
}

// register follows the specification, "Agent registration".
func (r *run) register(ctx context.Context) error {
	w, err := r.Agent.WellKnown(ctx)
	if err != nil {
		return err
	}
	if w.Status != "ok" {
		return errors.New("what answers at the agent's address is not a Keyward agent")
	}
	if r.agentKey, err = r.Agent.PublicKey(ctx); err != nil {
		return err
	}
	system, err := r.Agent.SystemInfo(ctx)
	if err != nil {
		return err
	}
	register := func(code string) error { // a new agent requires a recent proof of identity
		return r.recently(ctx, func() error { return r.Backend.RegisterAgent(ctx, r.agentKey, system.Hostname, code) })
	}
	code, err := client.CodeOfUnknown(r.agentKey)
	if err != nil {
		return err
	}
	if code == "" || r.AgentCode != "" {
		if code != "" && !agentkey.SameCode(r.AgentCode, code) {
			return strangeAgent(nil)
		}
		err = register(r.AgentCode)
		if code = client.AskedCode(err); code == "" {
			return err
		}
	}
	if r.AgentCode != "" {
		return strangeAgent(err)
	}
	yes, failed := r.ask(ctx, AskAgent, "You have not used the agent on this computer before. Its code is "+code+". "+
		"Run keyward-agent code in another terminal, or see what the agent printed when it started. Is it the same code?")
	if failed != nil {
		return failed
	}
	if !yes {
		return strangeAgent(err)
	}
	return register(code)
}

// registered repeats a call once if the session was renewed meanwhile: after its hour a
// refresh begins a new session, which has no agent.
func (r *run) registered(ctx context.Context, call func() error) error {
	err := call()
	if !fault.Is(err, fault.AgentNotRegistered) {
		return err
	}
	if err := r.register(ctx); err != nil {
		return err
	}
	return call()
}

// recently repeats a call once after the user has proved their identity, if the server
// requires it.
func (r *run) recently(ctx context.Context, call func() error) error {
	err := call()
	if !fault.Is(err, fault.ReauthenticationRequired) || r.Reauthenticate == nil {
		return err
	}
	if err := r.Reauthenticate(ctx); err != nil {
		return err
	}
	return call()
}

// read reads the state of the vault and the card.
func (r *run) read(ctx context.Context) (err error) {
	if r.device, err = r.Backend.Device(ctx, r.Serial); err != nil {
		return err
	}
	if err := r.readSecrets(ctx); err != nil {
		return err
	}
	return r.readCard(ctx, "")
}

func (r *run) readSecrets(ctx context.Context) error {
	return r.registered(ctx, func() (err error) {
		r.secrets, err = r.Backend.Secrets(ctx, r.Serial, client.Release{Fields: piv.Fields, Candidates: true, Reason: r.Reason})
		return err
	})
}

func (r *run) readCard(ctx context.Context, attest string) (err error) {
	if r.info, err = r.Agent.Info(ctx, r.Serial, attest); err != nil {
		return err
	}
	r.defaults, err = r.Agent.CheckDefaults(ctx, r.Serial)
	return err
}

// pending returns a field's value in the open rotation, empty when it has none.
func (r *run) pending(f piv.Field) client.Sealed {
	if r.secrets.Pending == nil {
		return ""
	}
	return r.secrets.Pending.Of(f)
}

// closed marks a field of the open rotation as settled.
func (r *run) closed(f piv.Field) {
	switch f {
	case piv.PIN:
		r.secrets.Pending.PIN = ""
	case piv.PUK:
		r.secrets.Pending.PUK = ""
	default:
		r.secrets.Pending.ManagementKey = ""
	}
}

// counts reports whether the card reports the tries left (firmware 5.3).
func (r *run) counts() bool { return r.info.PUKRetries != nil }
