package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// server is `keyward serve` on a data directory.
type server struct {
	*running
	data     string
	base     string // http://127.0.0.1:PORT
	home     string
	settings []string
}

// siteURL is in certificates; openssl need not reach it.
const siteURL = "http://keyward.test"

// serve starts a server on a data directory and a free port, and waits until it
// answers.
func serve(t testing.TB, data string, settings ...string) *server {
	t.Helper()
	return serveOn(t, data, "127.0.0.1:0", settings...)
}

func serveOn(t testing.TB, data, listen string, settings ...string) *server {
	t.Helper()
	s := &server{data: data, home: t.TempDir(), settings: settings}
	s.running = launch(t, serverEnv(s.home, settings...), "", "keyward", "serve", "--data", data, "--listen", listen)
	s.base = "http://" + s.Announces(t, `"listen":"`, `"`)
	return s
}

func serverEnv(home string, settings ...string) []string {
	return environ(home, append([]string{"METRICS_LISTEN=off", "SITE_URL=" + siteURL, "LOG_LEVEL=DEBUG"}, settings...)...)
}

// again starts another server on the same data directory and address, where clients
// look for it, with the same settings.
func (s *server) again(t testing.TB) *server {
	t.Helper()
	return serveOn(t, s.data, strings.TrimPrefix(s.base, "http://"), s.settings...)
}

// firstPassword returns the password that the first start shows.
func (s *server) firstPassword(t testing.TB) string {
	t.Helper()
	value := s.Tells(t, &s.Out, "sign-in): ", "\n")
	if len(value) < 12 || strings.Count(s.Out.String(), value) != 1 {
		t.Fatalf("the first password is not shown once, or has only %d characters", len(value))
	}
	return value
}

// tokens is `keyward-vtoken run` with one token per serial.
type tokens struct {
	*running
	state  string
	socket string // NAME=VALUE, for clients' environment
	home   string
	// firmware below 5.4.2 would require a TDES key
	algorithm string
}

// plugIn starts a pcscd with virtual tokens in its readers.
func plugIn(t testing.TB, serials ...string) *tokens {
	t.Helper()
	v := &tokens{state: filepath.Join(t.TempDir(), "vtoken"), home: t.TempDir(), algorithm: "AES192"}
	args := []string{"run", "--state", v.state}
	for _, s := range serials {
		args = append(args, "--serial", s)
	}
	v.running = launch(t, environ(v.home), "", "keyward-vtoken", args...)
	v.Tells(t, &v.Out, "serial="+serials[len(serials)-1], "\n")
	v.socket = "PCSCLITE_CSOCK_NAME=" + v.Tells(t, &v.Out, "PCSCLITE_CSOCK_NAME=", "\n")
	return v
}

// trusted returns the setting that makes the server trust the tokens' attestations, as
// scripts/run sets it.
func (v *tokens) trusted(t testing.TB) string {
	t.Helper()
	p := launch(t, environ(v.home), "", "keyward-vtoken", "root", "--state", v.state)
	p.done(t)
	file := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(file, []byte(p.Out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "PKI_ATTESTATION_ROOTS_FILE=" + file
}

// ykman runs the real tool alongside the agent, with one line of input per prompt.
func (v *tokens) ykman(t testing.TB, serial string, lines []string, args ...string) (stderr string, ok bool) {
	t.Helper()
	env := environ(v.home, v.socket, "LC_ALL=C.UTF-8", "XDG_DATA_HOME="+v.home)
	_, stderr, code := tool(t, env, strings.NewReader(strings.Join(append(lines, ""), "\n")),
		"ykman", append([]string{"--device", serial}, args...)...)
	return stderr, code == 0
}

// opens reports whether the card accepts a value as the current one, by changing it to
// itself.
func (v *tokens) opens(t testing.TB, serial, field, value string) bool {
	t.Helper()
	args := map[string][]string{
		"pin":            {"piv", "access", "change-pin"},
		"puk":            {"piv", "access", "change-puk"},
		"management_key": {"piv", "access", "change-management-key", "-a", v.algorithm},
	}[field]
	_, ok := v.ykman(t, serial, []string{value, value}, args...)
	return ok
}

// workstation is `keyward-agent` on its own port.
type workstation struct {
	*running
	base string
	env  []string
}

// agentOf starts an agent of the user with this environment.
func agentOf(t testing.TB, env []string, listen string) *workstation {
	t.Helper()
	w := &workstation{env: env}
	w.running = launch(t, w.env, "", "keyward-agent", "--dev", "--listen", listen)
	w.base = "http://" + w.Announces(t, "address=", " ")
	return w
}

// code returns what the agent's user reads in a terminal.
func (w *workstation) code(t testing.TB) string {
	t.Helper()
	p := launch(t, w.env, "", "keyward-agent", "code")
	p.done(t)
	return strings.TrimSpace(p.Out.String())
}

// station is where a command-line client works: its server, agent and environment.
type station struct {
	server, agent string
	code          string // of that agent, as its user has read it
	env           []string
}

// begin starts a command of `keyward` that signs in. Passwords and PINs are
// lines of its standard input.
func (s *station) begin(t testing.TB, lines []string, args ...string) *running {
	t.Helper()
	args = append(args, "--server", s.server)
	return launch(t, s.env, strings.Join(append(lines, ""), "\n"), "keyward", args...)
}

// token begins `keyward token OPERATION` on a card.
func (s *station) token(t testing.TB, operation, serial, user, password string, more ...string) *running {
	t.Helper()
	args := []string{"token", operation, "--username", user, "--agent", s.agent, "--serial", serial, "--json", "--agent-code", s.code}
	return s.begin(t, []string{password}, slices.Concat(args, more)...)
}

// done requires success and returns the result, a JSON object if there is one.
func (p *running) done(t testing.TB) m {
	t.Helper()
	if code := p.Wait(t); code != 0 {
		t.Fatalf("%v: exit code %d\n%s%s", p.args, code, p.Log.String(), p.Out.String())
	}
	var out m
	if text := p.Out.String(); strings.HasPrefix(text, "{") {
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatalf("%v: %v in %q", p.args, err, text)
		}
	}
	return out
}

// number formats a JSON number for a path.
func number(v any) string { return strconv.FormatInt(int64(v.(float64)), 10) }
