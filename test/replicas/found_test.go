package replicas_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/custody"
)

// found is the state when all work is done: the clients' results, and each place's
// content. Objects of the API are as in its responses.
type found struct {
	jobs         []job
	tokens       map[string]m                // by serial
	certificates map[string]m                // recorded, by serial number
	log          []m                         // the audit log of both
	lists        []map[string]bool           // the serial numbers on each server's CRL
	custody      map[string]custody.Document // what the vault holds of each token
	orphans      []string                    // signed by the vault, but neither recorded nor revoked
}

// wrong lists what is lost, duplicated, or contradicts the rest.
func (f found) wrong() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	entries := f.entries()
	given := map[string]string{} // the certificate of each token
	for _, j := range f.jobs {
		given[j.serial] = j.certificate
		f.job(say, j, entries)
	}
	for serial := range f.tokens {
		if _, known := given[serial]; !known {
			say("token %s is nobody's", serial)
		}
	}
	for serial := range given {
		f.settled(say, serial)
	}
	f.issued(say, given, entries)
	f.rotations(say)
	for _, serial := range f.orphans {
		say("the vault has signed certificate %s, which is neither on record nor revoked", serial)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		action, target, _ := strings.Cut(key, " ")
		if f.tokens[target] == nil && f.certificates[target] == nil {
			say("%s stands in the log for %s, which is not on record", action, target)
		}
	}
	return list
}

// entries returns the log by action and target.
func (f found) entries() map[string][]m {
	out := map[string][]m{}
	for _, e := range f.log {
		key := e["action"].(string) + " " + e["target_id"].(string)
		out[key] = append(out[key], e)
	}
	return out
}

type say func(format string, args ...any)

// issued: each recorded certificate was issued to somebody, with one entry for each
// event; the lists contain exactly the revoked ones.
func (f found) issued(say say, given map[string]string, entries map[string][]m) {
	for serial, c := range f.certificates {
		if given[c["hwkey_serial"].(string)] != serial {
			say("certificate %s was given to nobody: %v", serial, c)
		}
		revoked := 0
		if c["status"] == "revoked" {
			revoked = 1
		}
		for action, want := range map[string]int{"certificate.issued": 1, "certificate.revoked": revoked} {
			if n := len(entries[action+" "+serial]); n != want {
				say("%s of %s stands %d times in the log, not %d times", action, serial, n, want)
			}
		}
		for n, list := range f.lists {
			if list[serial] != (revoked == 1) {
				say("certificate %s is %v, and on the CRL of server %d: %t", serial, c["status"], n, list[serial])
			}
		}
	}
}

// rotations: no step of a rotation is recorded twice. An entry names its rotation and
// fields.
func (f found) rotations(say say) {
	seen := map[string]bool{}
	for _, e := range f.log {
		action, target := e["action"].(string), e["target_id"].(string)
		details, _ := e["details"].(string)
		details, _, _ = strings.Cut(details, ";") // the agent
		if !strings.HasPrefix(action, "hwkey.rotation_") {
			continue
		}
		if what := action + " of " + target + ", " + details; seen[what] {
			say("%s, stands in the log twice", what)
		} else {
			seen[what] = true
		}
	}
}
