package replicas_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// sound is what is left by two jobs, one whose certificate is in use and one whose
// certificate was revoked, and by a card in the second round of its life.
func sound() found {
	f := found{
		tokens: map[string]m{}, certificates: map[string]m{}, custody: map[string]hwkey.Document{}, messages: map[int64]int{},
		lists: []map[string]bool{{"c2": true, "e1": true}, {"c2": true, "e1": true}}, cards: []card{{"9", "e2", 2}},
	}
	note := func(action, target string, details ...string) {
		e := m{"id": float64(len(f.log) + 10), "action": action, "target_id": target, "details": strings.Join(details, ", ")}
		f.log = append(f.log, e)
		if action == hooked {
			f.messages[int64(e["id"].(float64))] = 1
		}
	}
	for _, j := range []job{
		{serial: "1", rotation: 1, pin: "111111", certificate: "c1", releases: 1},
		{serial: "2", rotation: 1, pin: "222222", certificate: "c2", releases: 1, refused: 1, revoked: true, resumed: true},
	} {
		f.jobs = append(f.jobs, j)
		f.tokens[j.serial] = m{"serial": j.serial, "status": "active", "secrets": m{"rotation_pending": false}}
		f.certificates[j.certificate] = m{"serial_number": j.certificate, "hwkey_serial": j.serial, "status": "issued"}
		f.custody[j.serial] = hwkey.Document{
			Fields: map[piv.Field]hwkey.Values{piv.PIN: {Current: secret.New(j.pin)}}, LastRotationID: int64(j.rotation),
		}
		for _, action := range []string{"registered", "rotation_started", "rotation_committed", "enrolled", "secrets_released"} {
			note("hwkey."+action, j.serial)
		}
		note("certificate.issued", j.certificate)
		note("certificate.installed", j.certificate)
		if j.revoked {
			note("hwkey.secrets_released", j.serial) // the reading of its rotation
			note("certificate.revoked", j.certificate)
			f.certificates[j.certificate]["status"] = "revoked"
		}
	}
	f.tokens["9"] = m{"serial": "9", "status": "active", "secrets": m{"rotation_pending": false}}
	f.custody["9"] = hwkey.Document{Fields: map[piv.Field]hwkey.Values{piv.PIN: {Current: secret.New("345678")}}, LastRotationID: 2}
	note("hwkey.registered", "9")
	for n, c := range []string{"e1", "e2"} {
		note("hwkey.enrolled", "9")
		note("hwkey.rotation_started", "9", "rotation "+c, "fields pin; agent key 1")
		note("hwkey.rotation_committed", "9", "rotation "+c, "fields pin")
		note("certificate.issued", c)
		f.certificates[c] = m{"serial_number": c, "hwkey_serial": "9", "status": []string{"revoked", "issued"}[n]}
	}
	note("certificate.revoked", "e1")
	return f
}

// forget takes the entries of an action and target from the log.
func (f *found) forget(action, target string) {
	f.log = slices.DeleteFunc(f.log, func(e m) bool { return e["action"] == action && e["target_id"] == target })
}

// repeat writes one more of them, like the last one.
func (f *found) repeat(action, target string) {
	more := m{"action": action, "target_id": target}
	for _, e := range f.log {
		if e["action"] == action && e["target_id"] == target {
			more["details"] = e["details"]
		}
	}
	more["id"] = float64(len(f.log) + 1000)
	f.log = append(f.log, more)
}

// TestFoundWrong: what the comparison is for does not get past it.
func TestFoundWrong(t *testing.T) {
	t.Parallel()
	if wrong := sound().wrong(); wrong != nil {
		t.Fatalf("what is sound is called wrong: %q", wrong)
	}
	type damage struct {
		name string
		do   func(f *found)
		want string
	}
	pending := func(f *found) {
		doc := f.custody["1"]
		doc.Rotation = &hwkey.Rotation{ID: 2}
		f.custody["1"] = doc
	}
	counted := func(f *found) {
		doc := f.custody["1"]
		doc.LastRotationID++
		f.custody["1"] = doc
	}
	another := func(f *found) {
		f.custody["1"] = hwkey.Document{Fields: map[piv.Field]hwkey.Values{piv.PIN: {Current: secret.New("999999")}}, LastRotationID: 1}
	}
	damages := []damage{
		{"a token is lost", func(f *found) { delete(f.tokens, "1") }, "token 1 is lost"},
		{"a token too many", func(f *found) { f.tokens["3"] = m{} }, "token 3 is nobody's"},
		{"a rotation hangs on record", func(f *found) { f.tokens["1"]["secrets"] = m{"rotation_pending": true} }, "token 1 is on record as"},
		{"a rotation hangs in the vault", pending, "open rotation of token 1"},
		{"a rotation is done twice", counted, "counts 2 rotations of token 1"},
		{"a rotation is undone", another, "another PIN of token 1"},
		{"secrets are lost", func(f *found) { delete(f.custody, "2") }, "holds nothing of token 2"},
		{"a certificate is lost", func(f *found) { delete(f.certificates, "c1") }, "certificate c1 is lost"},
		{"a certificate is doubled", func(f *found) {
			f.certificates["c3"] = m{"serial_number": "c3", "hwkey_serial": "1", "status": "issued"}
			f.repeat("certificate.issued", "c3")
		}, "certificate c3 was given to nobody"},
		{"a certificate is nowhere but in the vault", func(f *found) { f.strays = []string{"c4"} }, "signed certificate c4"},
		{"a revocation is lost", func(f *found) { f.certificates["c2"]["status"] = "issued" }, "certificate c2 is on record as"},
		{"a revocation is nobody's", func(f *found) { f.certificates["c1"]["status"] = "revoked" }, "certificate c1 is on record as"},
		{"a card has no live certificate", func(f *found) { f.certificates["e2"]["status"] = "revoked" }, "certificate e2 is on record as"},
		{"a card has two live certificates", func(f *found) { f.certificates["e1"]["status"] = "issued" }, "certificate e1 is on record as"},
		{"a card's certificate is lost", func(f *found) { delete(f.certificates, "e2") }, "certificate e2 is lost"},
		{"a card is on record and its secrets are not", func(f *found) { delete(f.custody, "9") }, "holds nothing of token 9"},
		{"a card is lost", func(f *found) { delete(f.tokens, "9") }, "token 9 is lost"},
		{"a rotation of a card is doubled", func(f *found) {
			f.repeat("hwkey.rotation_committed", "9")
		}, "hwkey.rotation_committed of 9, rotation e2, fields pin, stands in the log twice"},
		{"a CRL lacks a certificate", func(f *found) { f.lists[1] = map[string]bool{} }, "c2 is revoked, and on the CRL of server 1: false"},
		{"a CRL has one too many", func(f *found) { f.lists[0]["c1"] = true }, "certificate c1 is issued, and on the CRL of server 0: true"},
		{"a webhook is lost", func(f *found) { delete(f.messages, 10) }, "entry 10 was told in 0 messages"},
		{"a webhook is doubled", func(f *found) { f.messages[10] = 2 }, "entry 10 was told in 2 messages"},
		{"a webhook is about nothing", func(f *found) { f.messages[9] = 1 }, "message about entry 9"},
		{"an entry is of nothing", func(f *found) { f.repeat("certificate.issued", "c5") }, "for c5, which is not on record"},
		{"releases are too many", func(f *found) {
			for range sendings {
				f.repeat("hwkey.secrets_released", "1")
			}
		}, "hwkey.secrets_released of 1 stands 4 times"},
		{"a rotation was given up", func(f *found) { f.repeat("hwkey.rotation_aborted", "1") }, "hwkey.rotation_aborted of 1 stands 1 times"},
	}
	for _, e := range sound().log {
		action, target := e["action"].(string), e["target_id"].(string)
		key := action + " of " + target + " stands"
		if action == "hwkey.rotation_started" && target == "2" || strings.HasPrefix(action, "hwkey.rotation_") && target == "9" {
			continue // its start had no good answer: it may have none; and how many a card had, nobody was told
		}
		damages = append(damages, damage{"lost: " + key, func(f *found) { f.forget(action, target) }, key})
		if action != "hwkey.secrets_released" {
			damages = append(damages, damage{"doubled: " + key, func(f *found) { f.repeat(action, target) }, key})
		}
	}
	for _, d := range damages {
		f := sound()
		d.do(&f)
		if wrong := f.wrong(); !slices.ContainsFunc(wrong, func(w string) bool { return strings.Contains(w, d.want) }) {
			t.Errorf("%s: nobody says %q, but: %q", d.name, d.want, wrong)
		}
	}
}
