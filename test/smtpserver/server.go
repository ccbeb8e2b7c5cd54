// Package smtpserver runs a real SMTP server for tests, Debian's aiosmtpd, on loopback,
// until the test's end. It accepts mail, and can be told to refuse TLS, passwords or
// recipients, and to hang up at the worst moment.
package smtpserver

import (
	_ "embed"
	"encoding/json"
	"io"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// Program is the server's, for who starts it otherwise; its first lines say how.
//
//go:embed server.py
var Program []byte

// Python is Debian's own, to which its package of aiosmtpd belongs, whatever comes
// first in PATH.
const Python = "/usr/bin/python3"

// Host is where the servers listen.
const Host = "127.0.0.1"

// Behaviour is how a server behaves; the zero one accepts everything, offers STARTTLS,
// and requires no password. Replies are complete, with their codes: "451 4.7.1 Later".
type Behaviour struct {
	NoSTARTTLS     bool              `json:"no_starttls,omitempty"`
	Hello          string            `json:"hello,omitempty"`    // the reply to EHLO and HELO
	STARTTLS       string            `json:"starttls,omitempty"` // the reply that refuses it, though it is offered
	RequireTLS     bool              `json:"require_tls,omitempty"`
	User           string            `json:"user,omitempty"`     // who must sign in; empty: nobody
	Password       string            `json:"password,omitempty"` // or the access token
	Ways           *[]string         `json:"ways,omitempty"`     // offered mechanisms; nil: aiosmtpd's and XOAUTH2
	Auth           string            `json:"auth,omitempty"`     // the reply to AUTH
	AuthInTheClear bool              `json:"auth_in_the_clear,omitempty"`
	PerConnection  int               `json:"per_connection,omitempty"` // the number of messages accepted per connection
	Hold           bool              `json:"hold,omitempty"`           // it accepts a message, and replies only after the next Be
	Mail           string            `json:"mail,omitempty"`           // the reply to MAIL FROM
	Rcpt           string            `json:"rcpt,omitempty"`           // to RCPT TO
	RcptOf         map[string]string `json:"rcpt_of,omitempty"`
	BeginData      string            `json:"begin_data,omitempty"`     // to DATA
	Data           string            `json:"data,omitempty"`           // to the whole message
	N              int               `json:"n"`                        // Be sets it
	DieAfterData   bool              `json:"die_after_data,omitempty"` // it accepts the message, and hangs up instead of replying
	Away           bool              `json:"away,omitempty"`           // nobody listens at its ports
	Heads          bool              `json:"heads,omitempty"`          // it reports only messages' heads: for many messages
}

// Message is one that the server accepted.
type Message struct {
	Helo string   `json:"helo"` // the client's name
	From string   `json:"from"`
	To   []string `json:"to"`
	Raw  string   `json:"raw"`
}

// Header returns a field of the message's head, not decoded further.
func (m Message) Header(name string) string {
	parsed, err := mail.ReadMessage(strings.NewReader(m.Raw))
	if err != nil {
		return ""
	}
	return parsed.Header.Get(name)
}

// ID returns its Message-ID, without brackets.
func (m Message) ID() string { return strings.Trim(m.Header("Message-ID"), "<>") }

// Server is a running SMTP server.
type Server struct {
	Port    int    // in the clear, with STARTTLS
	TLSPort int    // TLS from the first byte
	CAPEM   string // the certificate that verifies both

	process *process.Process
	input   io.Writer
	set     int // behaviours
}

// Start starts a server.
func Start(t testing.TB) *Server {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "server.py")
	must.OK(t, os.WriteFile(script, Program, 0o600))
	authority, cert, key := certificate(t, dir)
	cmd := exec.Command(Python, "-B", script, Host, cert, key)
	s := &Server{CAPEM: authority, input: must.Get(cmd.StdinPipe())(t)}
	s.process = process.Start(t, "SMTP server", cmd)
	s.Port = s.number(t, `{"port": `, ",")
	s.TLSPort = s.number(t, `"tls_port": `, "}")
	return s
}

func (s *Server) number(t testing.TB, mark, until string) int {
	t.Helper()
	return must.Get(strconv.Atoi(s.process.Tells(t, &s.process.Out, mark, until)))(t)
}

// Be changes how the server treats connections from now on.
func (s *Server) Be(t testing.TB, b Behaviour) {
	t.Helper()
	s.set++
	b.N = s.set
	text := must.Get(json.Marshal(b))(t)
	must.Get(s.input.Write(append(text, '\n')))(t)
	s.process.Tells(t, &s.process.Out, `{"set": `+strconv.Itoa(s.set), "}")
}

// Received returns the accepted messages, in order.
func (s *Server) Received(t testing.TB) (list []Message) {
	t.Helper()
	for text := range strings.Lines(s.process.Out.String()) {
		if strings.HasPrefix(text, `{"helo"`) && strings.HasSuffix(text, "\n") {
			var m Message
			must.OK(t, json.Unmarshal([]byte(text), &m))
			list = append(list, m)
		}
	}
	return list
}

// Address is HOST:PORT, in the clear.
func (s *Server) Address() string { return Host + ":" + strconv.Itoa(s.Port) }
