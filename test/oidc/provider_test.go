package oidc_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
)

type m = map[string]any

// provider is the running OpenID provider.
type provider struct {
	t      *testing.T
	config m
	issuer string
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	ended  chan struct{}
	log    *await.Text
}

// newProvider starts a provider with one client, the site.
func newProvider(t *testing.T, site string, more m) *provider {
	t.Helper()
	config := m{
		"client_id": "keyward", "client_secret": clientSecret, "redirect_uris": []string{site + "/api/auth/oidc/callback"},
		"post_logout_redirect_uris": []string{site + "/login"},
	}
	for k, v := range more {
		config[k] = v
	}
	p := &provider{t: t, config: config}
	p.start()
	t.Cleanup(p.stop)
	return p
}

func (p *provider) start() {
	p.t.Helper()
	p.cmd = exec.Command("node", "provider/provider.js")
	p.lines, p.ended, p.log = make(chan string, 16), make(chan struct{}), &await.Text{}
	p.cmd.Stderr, p.cmd.WaitDelay = p.log, 5*time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.in = in
	started := make(chan error, 1)
	go p.life(started, out)
	if err := <-started; err != nil {
		p.t.Fatalf("node does not start: %v", err)
	}
	issuer, ok := strings.CutPrefix(p.tell(p.config), "ready ")
	if !ok {
		p.t.Fatal("the provider is not ready")
	}
	p.issuer = issuer
}

// life stays on one thread: the kernel signals the child when the thread that created
// it ends (PR_SET_PDEATHSIG).
func (p *provider) life(started chan<- error, out io.Reader) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		p.lines <- scanner.Text()
	}
	_ = p.cmd.Wait() // usually killed
}

// tell sends a line and waits for the response.
func (p *provider) tell(command any) string {
	p.t.Helper()
	raw, err := json.Marshal(command)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(raw, '\n')); err != nil {
		p.t.Fatal(err)
	}
	select {
	case line := <-p.lines:
		return line
	case <-p.ended:
		p.t.Fatalf("the provider has ended:\n%s", p.log)
	case <-await.Context(p.t).Done():
		p.t.Fatalf("the provider does not answer:\n%s", p.log)
	}
	return ""
}

// account sets a login's claims from now on.
func (p *provider) account(sub string, claims m) {
	p.t.Helper()
	all := m{"sub": sub, "email": sub + "@example.org", "email_verified": true, "preferred_username": sub, "roles": []string{"staff"}}
	for k, v := range claims {
		all[k] = v
	}
	p.tell(m{"account": all})
}

func (p *provider) rotate() { p.tell(m{"rotate": true}) }

// stop ends the process; a second call does nothing.
func (p *provider) stop() {
	_ = p.in.Close()
	if p.cmd.Process != nil {
		_ = p.cmd.Process.Kill()
	}
	<-p.ended
}

// restart starts another process at the same address, with other keys and no memory.
func (p *provider) restart() {
	p.t.Helper()
	u, err := url.Parse(p.issuer)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.config["port"], err = strconv.Atoi(u.Port()); err != nil {
		p.t.Fatal(err)
	}
	p.start()
}
