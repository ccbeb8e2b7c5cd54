package notify

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// While someone else sets a token up, the mails about it wait, and TokenSetUp says them all in
// one. If it isn't finished, each goes by itself: nobody can keep anything from an owner.
const (
	// SetUpWaits is how long they wait for its end.
	SetUpWaits = 10 * time.Minute
	// SetUpOpen is how long the mail about its end waits for the PIN, which is set last.
	SetUpOpen = time.Minute
)

var ofSetUp = []Kind{TokenAssigned, SecretsReleased, CertificateIssued, TokenUnblocked}

// OfSetUp reports whether a kind is about a step of a set-up.
func OfSetUp(k Kind) bool { return slices.Contains(ofSetUp, k) }

// SameSetUp reports whether two messages are about the same token and by the same person.
func (p Params) SameSetUp(other Params) bool {
	return p["serial"] == other["serial"] && p["by"] == other["by"]
}

// WithStep returns the params of TokenSetUp with what a message about a step says.
func (p Params) WithStep(kind Kind, step Params) Params {
	out := maps.Clone(p)
	switch kind {
	case TokenAssigned:
		out["assigned"] = "true"
	case SecretsReleased:
		out.add("fields", ",", strings.Split(step["fields"], ",")...)
	case CertificateIssued:
		out.add("slots", ",", step["slot"])
		if step["attested"] != "true" {
			out.add("unproved", ",", step["slot"])
		}
	case TokenUnblocked:
		out["pin"] = "true"
	}
	out.add("reason", "; ", step["reason"])
	return out
}

// add adds what a list does not have yet.
func (p Params) add(name, between string, more ...string) {
	var list []string
	if p[name] != "" {
		list = strings.Split(p[name], between)
	}
	for _, one := range more {
		if one != "" && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	if len(list) > 0 {
		p[name] = strings.Join(list, between)
	}
}
