//go:build exhaustive

package packages

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/server"
)

// build builds the packages of a version for this machine.
func build(t *testing.T, version, umask string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "packages")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `umask "$0" && exec ../../scripts/packages "$1"`, umask, folder)
	cmd.Env = append(os.Environ(), "VERSION="+version, "SOURCE_DATE_EPOCH=1700000000", "ARCHES="+runtime.GOARCH, "ARCHIVES=")
	must.Get(output(cmd))(t)
	return folder
}

// TestPackages: the packages come out the same twice, the rpm holds what the deb does, and
// Debian's live from installation to removal.
func TestPackages(t *testing.T) {
	t.Parallel()
	former, current := build(t, "v0.9.0", "022"), build(t, "v1.0.0", "022")
	sums := must.Get(os.ReadFile(filepath.Join(current, "SHA256SUMS")))(t)
	if again := must.Get(os.ReadFile(filepath.Join(build(t, "v1.0.0", "077"), "SHA256SUMS")))(t); string(sums) != string(again) {
		t.Errorf("the same sources gave\n%s, and then\n%s", sums, again)
	}
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = current
	must.Get(output(check))(t)

	m := boot(t)
	for _, folder := range []string{former, current} {
		for _, deb := range must.Get(filepath.Glob(filepath.Join(folder, "*.deb")))(t) {
			must.Get(output(asRoot(t.Context(), "cp", deb, m.root+"/opt/")))(t)
		}
	}
	deb := func(program, version string) string {
		return "/opt/" + program + "_" + version + "-1_" + runtime.GOARCH + ".deb"
	}
	m.run(t, "dpkg", "-i", deb("keyward", "0.9.0"), deb("keyward-agent", "0.9.0"))
	checkFiles(t, m)
	for _, program := range []string{"keyward", "keyward-agent"} {
		checkRPM(t, m, must.Get(filepath.Glob(filepath.Join(former, program+"-0.9.0-1.*.rpm")))(t)[0])
	}
	checkUnits(t, m)
	checkAgent(t, m)

	s := starts(t, m)
	s.signsIn(t, "v0.9.0")
	s.isConfined(t)
	s.reloads(t)
	s.isWatched(t)
	s.survivesKill(t)

	m.run(t, "dpkg", "-i", deb("keyward", "1.0.0"), deb("keyward-agent", "1.0.0"))
	s.signsIn(t, "v1.0.0") // it runs again, with the same settings and data
	checkFiles(t, m)

	m.run(t, "dpkg", "-r", "keyward", "keyward-agent")
	if state, err := output(m.command(t, "systemctl", "is-active", "keyward")); err == nil {
		t.Errorf("removed, it is %s", state)
	}
	kept := []string{"/var/lib/keyward/keyward.db", "/var/lib/keyward/vault.db", "/etc/keyward/credentials/seal-passphrase"}
	m.run(t, append([]string{"ls", "/etc/keyward/keyward.env", "/etc/keyward/agent.env"}, kept...)...)
	m.run(t, "sh", "-c", "! command -v keyward && ! command -v keyward-agent")

	m.run(t, "dpkg", "-i", deb("keyward", "1.0.0"))
	m.run(t, "systemctl", "start", "keyward")
	s.signsIn(t, "v1.0.0")
	m.run(t, "dpkg", "-P", "keyward")
	m.run(t, append([]string{"ls"}, kept...)...)
}

// checkFiles looks at owners and modes, and that nothing is started unasked.
func checkFiles(t *testing.T, m machine) {
	t.Helper()
	want := []string{
		"755 root:root /etc/keyward", "700 root:root /etc/keyward/credentials", "640 root:keyward /etc/keyward/keyward.env",
		"644 root:root /etc/keyward/agent.env", "755 root:root /usr/bin/keyward", "755 root:root /usr/bin/keyward-agent",
		"644 root:root /usr/lib/systemd/system/keyward.service", "644 root:root /usr/lib/systemd/user/keyward-agent.service",
		"644 root:root /usr/share/bash-completion/completions/keyward", "644 root:root /usr/share/zsh/vendor-completions/_keyward",
		"644 root:root /usr/share/doc/keyward/keyward.cdx.json", "755 root:root /usr/share/man/man1",
	}
	args := []string{"stat", "--format=%a %U:%G %n"}
	for _, line := range want {
		args = append(args, line[strings.Index(line, "/"):])
	}
	if got := m.run(t, args...); got != strings.Join(want, "\n") {
		t.Errorf("owners and modes:\n%s\nand not:\n%s", got, strings.Join(want, "\n"))
	}
	m.run(t, "bash", "-n", "/usr/share/bash-completion/completions/keyward")
}

// checkRPM compares an rpm with the package of Debian's that is installed.
func checkRPM(t *testing.T, m machine, file string) {
	t.Helper()
	must.Get(output(exec.CommandContext(t.Context(), "rpm", "--checksig", "--nosignature", file)))(t)
	listed := must.Get(output(exec.CommandContext(t.Context(), "rpm", "-qp", "--nosignature",
		"--qf", "[%{FILENAMES} %{FILEDIGESTS} %{FILEMODES:perms}\n]", file)))(t)
	if strings.Count(listed, "\n") < 10 {
		t.Errorf("%s holds only\n%s", file, listed)
	}
	for line := range strings.SplitSeq(listed, "\n") {
		name, rest, _ := strings.Cut(line, " ")
		digest, mode, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(mode, "d") {
			continue
		}
		here := strings.Replace(name, "/zsh/site-functions/", "/zsh/vendor-completions/", 1)
		sum := sha256.Sum256(must.Get(m.command(t, "cat", here).Output())(t))
		if digest != hex.EncodeToString(sum[:]) || mode != m.run(t, "stat", "--format=%A", here) {
			t.Errorf("%s: %s is not the same as in the package of Debian's", filepath.Base(file), line)
		}
	}
}

// checkUnits has the systemd of the container judge them, with the programs in place.
func checkUnits(t *testing.T, m machine) {
	t.Helper()
	if state, _ := output(m.command(t, "systemctl", "is-enabled", "keyward")); state != "" {
		t.Errorf("it is %s before anybody chose its settings", state)
	}
	m.run(t, "systemd-analyze", "verify", "--man=no", "/usr/lib/systemd/system/keyward.service")
	m.run(t, "systemd-analyze", "security", "--threshold=20", "--no-pager", "keyward.service")
}

// checkAgent runs the agent as a service of a user's session. There is no reader here, nor
// ykman: that it answers is all.
func checkAgent(t *testing.T, m machine) {
	t.Helper()
	m.write(t, "/etc/keyward/agent.env", "KEYWARD_AGENT_OPTIONS=--origin https://keyward.example.org --listen 127.0.0.1:0\n")
	m.run(t, "chmod", "644", "/etc/keyward/agent.env")
	m.run(t, "useradd", "--create-home", "--uid", "4711", "someone")
	m.run(t, "systemctl", "--global", "enable", "keyward-agent")
	m.run(t, "loginctl", "enable-linger", "someone")
	address := regexp.MustCompile(`msg=listening address=(\S+)`)
	var found []string
	await.That(t, "the agent of the session listens", func() bool {
		out, _ := output(m.command(t, "journalctl", "--no-pager", "--output=cat", "_UID=4711", "_COMM=keyward-agent"))
		found = address.FindStringSubmatch(out)
		return found != nil
	})
	if out := m.run(t, "cat", "/proc/"+m.run(t, "pidof", "keyward-agent")+"/status"); !strings.Contains(out, "NoNewPrivs:\t1") {
		t.Errorf("the agent is not confined: %s", out)
	}
	m.run(t, "loginctl", "disable-linger", "someone")
}

// installed is the server in the container.
type installed struct {
	machine
	password string
}

// starts does what docs/packages.md says: settings, a secret, and the first start, which a
// newcomer must not have to wait for.
func starts(t *testing.T, m machine) installed {
	t.Helper()
	m.run(t, "sed", "-i", `s/^LISTEN=.*/LISTEN=127.0.0.1:0\nMETRICS_LISTEN=off/`, "/etc/keyward/keyward.env")
	m.write(t, "/etc/keyward/credentials/seal-passphrase", "a passphrase of the test\n")
	m.write(t, "/etc/systemd/system/keyward.service.d/credentials.conf", `[Service]
LoadCredential=seal-passphrase:/etc/keyward/credentials/seal-passphrase
Environment=VAULT_SEAL_PASSPHRASE_FILE=%d/seal-passphrase
`)
	m.run(t, "systemctl", "daemon-reload")
	began := time.Now()
	m.run(t, "systemctl", "enable", "--now", "keyward")
	s := installed{machine: m}
	s.logged(t, `"msg":"keyward is (ready)"`)
	if journal := s.journal(t); strings.Contains(journal, "assword (shown once") {
		t.Error("the journal has the first password")
	}
	s.password = s.run(t, "runuser", "-u", "keyward", "--", "keyward", "admin", "reset-password", "--config", "/etc/keyward/keyward.env",
		"--data", "/var/lib/keyward", "--username", "admin")
	chosen := s.password + " and more"
	s.client(t).Must(t, http.MethodPost, "/api/auth/password", "",
		server.Fields{"username": "admin", "current_password": s.password, "new_password": chosen})
	s.password = chosen
	s.signsIn(t, "v0.9.0")
	if took := time.Since(began); took > time.Minute {
		t.Errorf("a minute is what it may take to the first sign-in; it took %s", took)
	}
	return s
}

// logged returns what the last match of a pattern has in parentheses.
func (s installed) logged(t *testing.T, pattern string) (value string) {
	t.Helper()
	await.That(t, "its log says "+pattern, func() bool {
		all := regexp.MustCompile(pattern).FindAllStringSubmatch(s.journal(t), -1)
		if len(all) > 0 {
			value = all[len(all)-1][1]
		}
		return len(all) > 0
	})
	return value
}

func (s installed) journal(t *testing.T) string {
	t.Helper()
	return s.run(t, "journalctl", "--no-pager", "--output=cat", "_SYSTEMD_INVOCATION_ID="+s.shows(t, "InvocationID"))
}

// shows returns a property of the running service.
func (s installed) shows(t *testing.T, property string) string {
	t.Helper()
	return s.run(t, "systemctl", "show", "--value", "--property="+property, "keyward")
}

func (s installed) client(t *testing.T) server.Client {
	t.Helper()
	return server.NewClient(t, "http://"+s.logged(t, `"listen":"([^"]+)"`))
}

// signsIn asks the running server for its health, and signs in.
func (s installed) signsIn(t *testing.T, version string) {
	t.Helper()
	client := s.client(t)
	if health := client.Call(t, http.MethodGet, "/health", "", nil); health.Status != 200 || health.Body["version"] != version {
		t.Errorf("its health, and not that of %s: %d %s", version, health.Status, health.Raw)
	}
	client.SignIn(t, "admin", s.password)
}

// isConfined: it is its own user, without any privilege, and its environment holds no secret.
func (s installed) isConfined(t *testing.T) {
	t.Helper()
	proc := "/proc/" + s.shows(t, "MainPID")
	status := s.run(t, "cat", proc+"/status")
	for _, line := range []string{"CapBnd:\t0000000000000000", "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(status, line+"\n") {
			t.Errorf("not %q:\n%s", line, status)
		}
	}
	if user := s.run(t, "stat", "--format=%U", proc); user != "keyward" {
		t.Errorf("it runs as %s", user)
	}
	if env := s.run(t, "cat", proc+"/environ", proc+"/cmdline"); strings.Contains(env, "a passphrase") {
		t.Error("a secret is in its environment or arguments")
	}
	s.run(t, "sh", "-c", "! test -e /var/lib/keyward/seal.key") // the passphrase seals the vault
	if modes := s.run(t, "stat", "--format=%a %U", "/var/lib/keyward", "/var/log/keyward"); modes != "700 keyward\n700 keyward" {
		t.Errorf("its directories are %s", modes)
	}
}

func (s installed) reloads(t *testing.T) {
	t.Helper()
	s.run(t, "systemctl", "reload", "keyward")
	s.logged(t, `"(SIGHUP): `)
}

// isWatched: systemd restarts a server that has stopped to answer.
func (s installed) isWatched(t *testing.T) {
	t.Helper()
	s.write(t, "/run/systemd/system/keyward.service.d/watchdog.conf", "[Service]\nWatchdogSec=3s\nTimeoutAbortSec=1s\n")
	s.run(t, "systemctl", "daemon-reload")
	s.run(t, "systemctl", "restart", "keyward")
	s.run(t, "systemctl", "kill", "--kill-whom=main", "--signal=STOP", "keyward")
	await.That(t, "systemd restarts it", func() bool { return s.shows(t, "NRestarts") == "1" && s.shows(t, "ActiveState") == "active" })
	s.run(t, "rm", "/run/systemd/system/keyward.service.d/watchdog.conf")
	s.run(t, "systemctl", "daemon-reload")
	s.run(t, "systemctl", "restart", "keyward")
}

// survivesKill: killed while it creates accounts, systemd starts it again, and what it acknowledged is
// there.
func (s installed) survivesKill(t *testing.T) {
	t.Helper()
	c := s.client(t)
	token, _ := c.SignIn(t, "admin", s.password)
	var acknowledged []string
	for i := 0; ; i++ {
		name := fmt.Sprintf("made-%d", i)
		if i == 20 { // without waiting: the next requests meet it
			kill := s.command(t, "systemctl", "kill", "--kill-whom=main", "--signal=KILL", "keyward")
			must.OK(t, kill.Start())
			defer func() { must.OK(t, kill.Wait()) }()
		}
		out, err := c.Try(t, "POST", "/api/admin/users", token, server.Fields{"username": name, "email": name + "@example.org"})
		if err != nil || out.Status != http.StatusCreated {
			if i < 20 {
				t.Fatalf("before the kill: %v, %d %s", err, out.Status, out.Raw)
			}
			break
		}
		acknowledged = append(acknowledged, name)
	}
	await.That(t, "systemd starts it again", func() bool { return s.shows(t, "NRestarts") == "1" && s.shows(t, "ActiveState") == "active" })
	c = s.client(t)
	token, _ = c.SignIn(t, "admin", s.password)
	for _, name := range acknowledged {
		if out := c.Call(t, "GET", "/api/admin/users?q="+name, token, nil); !strings.Contains(out.Raw, `"`+name+`"`) {
			t.Errorf("%s was created, and is lost: %s", name, out.Raw)
		}
	}
}
