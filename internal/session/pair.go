package session

import (
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
)

// AgentTrust says when a person has to compare the code of an agent.
type AgentTrust string

// The kinds of trust.
const (
	FirstUse AgentTrust = "first-use" // every agent but the person's first
	Confirm  AgentTrust = "confirm"   // the first, too
)

// AgentState is all that a registration depends on, read in the transaction
// that writes it.
type AgentState struct {
	Session  Session // live
	Known    *Agent  // the agent being registered; nil: the person has not paired it
	First    bool    // the person has never paired an agent, not even one removed since
	Replaces bool    // the session has the key of another agent
	Notified bool    // the person was notified today (UTC) of an agent without an identity
}

// AgentDecision is what to write of a registration besides the key.
type AgentDecision struct {
	Notices []notify.Message
	Entries []audit.Entry
}

// pair decides on a registration (contract, section 11, "Identity"). An agent
// that the person has not paired needs recent authentication, and the person is
// notified. The person must have compared its code unless it is their first
// agent ever (AgentTrust Confirm: always): any program on the agent's port may
// claim to be an agent, but only the person's own prints the same code. A key
// without an identity, which changes daily, is compared by our page and
// command; clients written from the specification alone register nothing else,
// so it is not demanded of them.
func (s *Service) pair(a access.Actor, key AgentKey, confirmed string, state AgentState) (AgentDecision, error) {
	session := audit.ID(state.Session.ID)
	registered := audit.By(a, audit.SessionAgentRegistered, "session", session, "agent key "+key.Fingerprint)
	if state.Known != nil {
		d := AgentDecision{Entries: []audit.Entry{registered}}
		if state.Replaces {
			d.Notices = append(d.Notices, agentNotice(a, notify.AgentReplaced, key, notify.Params{"ip": a.IPAddress}))
		}
		return d, nil
	}
	if err := access.Recently(access.Actor{AuthenticatedAt: state.Session.AuthenticatedAt}, key.At); err != nil {
		return AgentDecision{}, err
	}
	code, bare := agentkey.VerificationCode(key.Agent()), key.Identity == ""
	if asked := !state.First && !bare || s.AgentTrust == Confirm || confirmed != ""; asked && !agentkey.SameCode(confirmed, code) {
		return AgentDecision{}, fault.Newf(fault.AgentConfirmationRequired, "",
			"You have not used this agent before. Run keyward-agent code on your workstation: if it prints "+
				"{code}, repeat this with that as confirmed_code. If it prints a different code, something else "+
				"is posing as your agent: tell your administrator.",
			fault.Params{"code": code})
	}
	d := AgentDecision{Entries: []audit.Entry{audit.By(a, audit.SessionAgentPaired, "session", session, "agent "+key.Agent()), registered}}
	if !bare || !state.Notified {
		d.Notices = []notify.Message{agentNotice(a, notify.AgentPaired, key, notify.Params{"code": code, "ip": a.IPAddress})}
	}
	return d, nil
}

func agentNotice(a access.Actor, kind notify.Kind, key AgentKey, params notify.Params) notify.Message {
	return notify.Message{To: notify.Audience{UserID: a.UserID}, Kind: kind, At: key.At, Params: params}
}
