package replicas_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/hwkey"
)

// found is what there is when all work is over: what clients were told, and what
// each place holds. An object of the API is as its answers have it.
type found struct {
	jobs         []job
	cards        []card
	tokens       map[string]m              // by serial
	certificates map[string]m              // on record, by serial number
	log          []m                       // the audit log of both
	lists        []map[string]bool         // the serial numbers on each server's CRL
	custody      map[string]hwkey.Document // what the vault holds of each token
	strays       []string                  // what the vault has signed, and is neither on record nor revoked
	messages     map[int64]int             // how many a receiver of webhooks got, by audit entry
}

// card is a token that a person has in hand.
type card struct {
	serial      string
	certificate string // the one that is in use
	rounds      int    // how often it was set up
}

// wrong names whatever was lost, is there twice, or contradicts the rest.
func (f found) wrong() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	entries := f.entries()
	given := map[string]string{} // the certificate of each token; "": it had several
	for _, j := range f.jobs {
		given[j.serial] = j.certificate
		f.job(say, j, entries)
	}
	for _, c := range f.cards {
		given[c.serial] = ""
		f.card(say, c, entries)
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
	for _, serial := range f.strays {
		say("the vault has signed certificate %s, which is neither on record nor revoked", serial)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		action, target, _ := strings.Cut(key, " ")
		if f.tokens[target] == nil && f.certificates[target] == nil {
			say("%s stands in the log for %s, which is not on record", action, target)
		}
	}
	f.hooks(say)
	return list
}

// entries are those of the log by action and target.
func (f found) entries() map[string][]m {
	out := map[string][]m{}
	for _, e := range f.log {
		key := e["action"].(string) + " " + e["target_id"].(string)
		out[key] = append(out[key], e)
	}
	return out
}

type say func(format string, args ...any)

// issued: each certificate on record is one that somebody was given, with one
// entry for each thing that happened to it; the lists have those that are revoked,
// and no other.
func (f found) issued(say say, given map[string]string, entries map[string][]m) {
	for serial, c := range f.certificates {
		if of, known := given[c["hwkey_serial"].(string)]; !known || of != "" && of != serial {
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

// rotations: no step of one is on record twice. An entry says of which rotation
// it is, and of which fields.
func (f found) rotations(say say) {
	seen := map[string]bool{}
	for _, e := range f.log {
		action, target := e["action"].(string), e["target_id"].(string)
		details, _ := e["details"].(string)
		details, _, _ = strings.Cut(details, ";") // whose agent it was
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

// hooks: each entry that the receiver wants is told in one message, however
// often that one was sent, and nothing else is.
func (f found) hooks(say say) {
	left := maps.Clone(f.messages)
	for _, e := range f.log {
		if e["action"] != hooked {
			continue
		}
		id := int64(e["id"].(float64))
		if n := f.messages[id]; n != 1 {
			say("entry %d was told in %d messages", id, n)
		}
		delete(left, id)
	}
	for id := range left {
		say("there was a message about entry %d, which is none that the receiver wants", id)
	}
}
