package access

import (
	"slices"

	"github.com/keyward/keyward/internal/fault"
)

// KeyScope narrows what an API key may do of what its role may.
type KeyScope string

// The scopes of API keys.
const (
	KeyAll       KeyScope = "all"       // everything that keys may do
	KeyRead      KeyScope = "read"      // whatever changes nothing
	KeyMonitor   KeyScope = "monitor"   // of that, how the system is
	KeyInventory KeyScope = "inventory" // of that, tokens, certificates, people and organizations
)

// KeyScopes are all of them.
var KeyScopes = []KeyScope{KeyAll, KeyRead, KeyMonitor, KeyInventory}

// Valid reports whether s is one of them.
func (s KeyScope) Valid() bool { return slices.Contains(KeyScopes, s) }

// CheckKeyScopes returns what is wrong with the scopes of a new key of a role; nil: nothing.
func CheckKeyScopes(role Role, scopes []KeyScope) *fault.Field {
	bad := fault.NotOneOf("scopes", KeyScopes...)
	switch {
	case len(scopes) == 0 || slices.ContainsFunc(scopes, func(s KeyScope) bool { return !s.Valid() }):
		return &bad
	case len(scopes) > 1 && slices.Contains(scopes, KeyAll):
		bad = fault.Wrong("scopes", "scope_all", "has all and others: all alone is enough")
		return &bad
	}
	for _, s := range scopes {
		useful := false
		for _, rule := range table {
			useful = useful || rule.reach(role) > Own && rule.opens([]KeyScope{s})
		}
		if !useful && s != KeyAll {
			bad = fault.Wrongf("scopes", "scope_useless", "has {scope}, which lets a key with this role do nothing",
				fault.Params{"scope": string(s)})
			return &bad
		}
	}
	return nil
}

// opens reports whether a key with those scopes may do it, if its role may.
func (r Rule) opens(scopes []KeyScope) bool {
	one := func(s KeyScope) bool { return s == KeyAll || slices.Contains(r.Scopes, s) }
	return r.Keys && slices.ContainsFunc(scopes, one)
}
