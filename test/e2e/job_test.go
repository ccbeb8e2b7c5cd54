package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// job is a token's whole life.
type job struct {
	*installation
	tokens *tokens
	serial string
	lost   string // the lost machine's data directory
}

// TestWholeJob takes a blank token through its life with the command-line client and
// the real ykman on a real pcscd, while the watch searches for secrets in every process
// that the agent starts. Only openssl and curl judge the outcome.
func TestWholeJob(t *testing.T) {
	t.Parallel()
	w := newWatch()
	j := &job{serial: "20260001"}
	j.tokens = plugIn(t, j.serial)
	j.installation = install(t, w, j.tokens.trusted(t))
	agent := agentOf(t, environ(t.TempDir(), j.tokens.socket, "PATH="+w.path(t)), "127.0.0.1:0")
	j.station.agent, j.station.code = between(t, w, agent.base).base, agent.code(t)

	blank := j.register(t, j.serial)
	first := j.enroll(t)
	enrolled := j.holds(t)
	for _, f := range fields {
		if enrolled[f] != blank[f] {
			t.Errorf("enrolment replaced the %s of the vault, which nobody had seen", f)
		}
	}
	j.changePIN(t, enrolled)
	j.unblock(t)
	second := j.renew(t, first)
	j.revoke(t, second)
	j.restored(t)
	j.audited(t)

	for _, words := range [][]string{{"change-pin"}, {"change-puk"}, {"change-management-key"},
		{"unblock-pin"}, {"keys", "generate"}, {"certificates", "import"}} {
		if !w.saw(t, words...) {
			t.Errorf("the watch saw no process with %v", words)
		}
	}
	j.noSecretLeft(t, agent)
}

// holds requires that ykman opens the card with the vault's values, and with no factory
// value.
func (j *job) holds(t *testing.T) held {
	t.Helper()
	h := j.admin.release(j.watch, j.serial)
	for _, f := range fields {
		if !j.tokens.opens(t, j.serial, f, h[f]) {
			t.Errorf("ykman does not open the card with the vault's %s", f)
		}
	}
	return h
}

func (j *job) enroll(t *testing.T) string {
	t.Helper()
	out := j.token(t, "enroll", j.serial, "jdoe")
	serial := out["certificate_serial_number"].(string)
	if got := j.admin.must(http.StatusOK, http.MethodGet, "/api/hwkey/"+j.serial, nil); got["status"] != "active" ||
		got["enrolled_at"] == nil {
		t.Errorf("the token is %v, enrolled at %v", got["status"], got["enrolled_at"])
	}
	for f, factory := range map[string]string{"pin": "123456", "puk": "12345678",
		"management_key": "010203040506070801020304050607080102030405060708"} {
		if j.tokens.opens(t, j.serial, f, factory) {
			t.Errorf("the card still takes the factory's %s", f)
		}
	}
	j.judge(t, serial)
	return serial
}

func (j *job) changePIN(t *testing.T, before held) {
	t.Helper()
	j.token(t, "change-pin", j.serial, "jdoe")
	after := j.holds(t)
	if after["pin"] == before["pin"] || after["puk"] != before["puk"] || after["management_key"] != before["management_key"] {
		t.Error("the PIN did not change, or more than the PIN did")
	}
	if j.tokens.opens(t, j.serial, "pin", before["pin"]) {
		t.Error("the card still takes the former PIN")
	}
}

// unblock uses up all tries; then the help desk sets a new PIN.
func (j *job) unblock(t *testing.T) {
	t.Helper()
	before := j.admin.release(j.watch, j.serial)
	wrong := "00998877"
	for words := ""; !strings.Contains(words, "blocked"); {
		var ok bool
		if words, ok = j.tokens.ykman(t, j.serial, []string{wrong, wrong}, "piv", "access", "change-pin"); ok {
			t.Fatal("the card takes a wrong PIN")
		}
	}
	if j.tokens.opens(t, j.serial, "pin", before["pin"]) {
		t.Fatal("the PIN is not blocked")
	}
	j.token(t, "unblock", j.serial, "admin", "--reason", "ticket 4711: forgot the PIN")
	if after := j.holds(t); after["pin"] == before["pin"] {
		t.Error("the unblocked PIN is the former one")
	}
}

// renew gives the slot a new key and certificate; the old one is revoked.
func (j *job) renew(t *testing.T, former string) string {
	t.Helper()
	out := j.token(t, "renew", j.serial, "jdoe")
	serial := out["certificate_serial_number"].(string)
	if serial == former {
		t.Error("the renewed certificate is the former one")
	}
	j.judge(t, serial)
	if !fetchCRL(t, j.base).lists(t, former) {
		t.Error("the replaced certificate is not on the CRL")
	}
	return serial
}

// audited requires that the help desk's reason is recorded.
func (j *job) audited(t *testing.T) {
	t.Helper()
	raw, err := json.Marshal(j.admin.must(http.StatusOK, http.MethodGet, "/api/admin/audit?action=hwkey.&limit=200", nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hwkey.enrolled", "hwkey.secrets_released", "hwkey.rotation_committed", "ticket 4711: forgot the PIN"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the audit has no %q", want)
		}
	}
}

// noSecretLeft searches everywhere, with all programs stopped so that their last output
// counts, too.
func (j *job) noSecretLeft(t *testing.T, agent *workstation) {
	t.Helper()
	report := func(found []string) {
		for _, f := range found {
			t.Errorf("in the clear: %s", f)
		}
	}
	report(j.watch.files(t, j.data)) // while it runs, for the write-ahead log
	pcscd, err := os.ReadFile(filepath.Join(j.tokens.state, "run", "pcscd.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(j.clients, j.running, agent.running, j.tokens.running) {
		p.Stop(t)
		report(j.watch.text("the log of "+p.Name, p.Log.String()))
		if p.args[0] != "serve" { // its output has the first password, once
			report(j.watch.text("the output of "+p.Name, p.Out.String()))
		}
	}
	report(j.watch.text("pcscd's log", string(pcscd)))
	report(j.watch.files(t, j.data))
	report(j.watch.files(t, j.lost))
	report(j.watch.processes(t))
	if n := len(j.watch.secrets); n < 20 {
		t.Errorf("only %d secrets were looked for", n)
	}
}
