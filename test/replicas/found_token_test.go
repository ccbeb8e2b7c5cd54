package replicas_test

import "github.com/keyward/keyward/internal/piv"

// sendings is how often nginx sends a read-only request, to one server after the other
// (deploy/nginx, proxy_next_upstream_tries).
const sendings = 3

// job: what was done once is recorded once; a release at least as often as answered,
// since some responses were lost.
func (f found) job(say say, j job, entries map[string][]m) {
	count := func(action, target string, least, most int) {
		if n := len(entries[action+" "+target]); n < least || n > most {
			say("%s of %s stands %d times in the log, not %d to %d times", action, target, n, least, most)
		}
	}
	for _, action := range []string{"hwkey.registered", "hwkey.rotation_committed", "hwkey.enrolled"} {
		count(action, j.serial, 1, 1)
	}
	count("certificate.installed", j.certificate, 1, 1)
	started, released := 1, j.releases
	if j.resumed { // its start may have failed after the vault took it: then only reading it released the secret
		started, released = 0, released+1
	}
	count("hwkey.rotation_started", j.serial, started, 1)
	count("hwkey.rotation_aborted", j.serial, 0, 0)
	count("hwkey.secrets_released", j.serial, released, sendings*(released+j.refused))

	switch doc, held := f.custody[j.serial]; {
	case !held: // settled reports it
	case doc.Fields[piv.PIN].Current.Reveal() != j.pin:
		say("the vault holds another PIN of token %s than was committed", j.serial)
	case doc.LastRotationID != int64(j.rotation):
		say("the vault counts %d rotations of token %s, and the last that was committed is %d", doc.LastRotationID, j.serial, j.rotation)
	}
	if c := f.certificates[j.certificate]; c == nil {
		say("certificate %s is lost", j.certificate)
	} else if (c["status"] == "revoked") != j.revoked || c["hwkey_serial"] != j.serial {
		say("certificate %s is on record as %v", j.certificate, c)
	}
}

// settled: a token is recorded, and no change of its secrets is open.
func (f found) settled(say say, serial string) {
	token := f.tokens[serial]
	if token == nil {
		say("token %s is lost", serial)
	} else if secrets, _ := token["secrets"].(m); token["status"] != "active" || secrets["rotation_pending"] != false {
		say("token %s is on record as %v", serial, token)
	}
	doc, held := f.custody[serial]
	if !held {
		say("the vault holds nothing of token %s", serial)
	}
	open := doc.Rotation != nil
	for _, v := range doc.Fields {
		open = open || !v.Pending.Empty()
	}
	if open {
		say("the vault holds an open rotation of token %s", serial)
	}
}
