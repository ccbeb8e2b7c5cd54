package replicas_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/test/process"
)

// holder does with one token, over and over, all that people do with theirs: by
// the command line, which goes through the balancer, with the built agent and
// ykman at the card.
type holder struct {
	*token
	server string // as the command line is told
	env    []string
	record *record
	admin  *client

	ends   atomic.Int64 // commands that have succeeded
	rounds int
	live   string // the certificate of the last round
}

const holderName = "holder"

// hold makes the account of whoever has the token.
func (s *site) hold(t *testing.T, k *token) {
	t.Helper()
	s.admin.must(t, http.MethodPost, "/api/admin/users",
		m{"username": holderName, "email": "holder@example.org", "password": userPassword, "role": "user"})
	h := &holder{token: k, server: "https://" + s.nginx.Secure, record: s.record, admin: s.client(t)}
	h.env = []string{"HOME=" + t.TempDir(), "SSL_CERT_FILE=" + filepath.Join(s.nginx.Dir, "cert.pem")}
	h.admin.signIn(t, "admin", adminPassword)
	s.holder = h
}

// work is round after round, and at the end the token is in use.
func (h *holder) work(t testing.TB, stop *atomic.Bool) {
	t.Helper()
	h.run(t, "admin", adminPassword, "register", "--serial", h.serial, "--firmware", "5.4.3", "--owner", holderName)
	for {
		h.rounds++
		first, _ := h.atCard(t, "enroll")["certificate_serial_number"].(string)
		h.block(t)
		h.atCard(t, "unblock")
		h.live, _ = h.atCard(t, "renew")["certificate_serial_number"].(string)
		if h.live == "" || first == h.live {
			t.Errorf("round %d: certificate %q is renewed, and is %q then", h.rounds, first, h.live)
		}
		if stop.Load() {
			return
		}
		h.run(t, "admin", adminPassword, "revoke-certificate", h.live, "--reason", "superseded")
		h.admin.must(t, http.MethodPost, "/api/hwkey/"+h.serial+"/reset", m{"reason": "the next round"})
		h.wipe(t)
	}
}

func (h *holder) atCard(t testing.TB, operation string) m {
	t.Helper()
	return h.run(t, holderName, userPassword, operation, "--serial", h.serial, "--agent", h.agent, "--agent-code", h.code)
}

// run runs a command of keyward token, and again while it is refused with a 503,
// as its messages say. What was refused so may have been done: then a conflict
// is none.
func (h *holder) run(t testing.TB, user, password string, operation string, args ...string) m {
	t.Helper()
	for refused := 0; ; refused++ {
		cmd := exec.Command(filepath.Join(bin, "keyward"), "token", operation)
		cmd.Args = append(append(cmd.Args, args...), "--server", h.server, "--username", user, "--json")
		cmd.Env, cmd.Stdin = h.env, strings.NewReader(password+"\n")
		p := process.Start(t, "keyward token "+operation, cmd)
		code := p.Wait(t)
		var out m
		_ = json.Unmarshal([]byte(p.Out.String()), &out) // whoever is not signed in gets none
		if code == 0 {
			h.ends.Add(1)
			return out
		}
		why := reason(out, p.Log.String())
		if why == "conflict" && refused > 0 {
			h.ends.Add(1)
			return out
		}
		if !strings.HasSuffix(why, "_unavailable") {
			t.Fatalf("keyward token %s: exit code %d\n%s%s", operation, code, p.Log.String(), p.Out.String())
		}
		h.record.note("keyward token "+operation, http.StatusServiceUnavailable, why)
		select {
		case <-time.After(100 * time.Millisecond):
		case <-h.record.over:
			t.Fatalf("keyward token %s: to the end %s", operation, why)
		}
	}
}

// inMessage is how a message ends that tells of a refusal.
var inMessage = regexp.MustCompile(`\(([a-z_]+)(, request [^)]*)?\)\n`)

// reason is the code of the refusal that a command tells.
func reason(out m, said string) string {
	if code, ok := out["code"].(string); ok {
		return code
	}
	if found := inMessage.FindStringSubmatch(said); found != nil {
		return found[1]
	}
	return ""
}

// inHand holds the card against what there is: it opens with what the vault
// holds, and has the certificate that the records know.
func (h *holder) inHand(t *testing.T, doc hwkey.Document) {
	t.Helper()
	for _, f := range piv.Fields {
		if !h.opens(t, f, doc.Fields[f].Current.Reveal()) {
			t.Errorf("the card does not open with the vault's %s", f)
		}
	}
	if on := h.certificate(t); on != h.live {
		t.Errorf("the card holds certificate %s; the last that was issued is %s", on, h.live)
	}
	t.Logf("the token's holder got through %d rounds, of %d commands", h.rounds, h.ends.Load())
}
