// Package smtpserver runs a real SMTP server for tests, Debian's aiosmtpd, on loopback,
// until the test's end: one that takes what it is sent, and that can be told to refuse
// TLS, passwords or recipients, and to hang up at the worst moment.
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

// Python is Debian's own, for which its package of aiosmtpd is, whatever other comes
// first in PATH.
const Python = "/usr/bin/python3"

// Host is where the servers listen.
const Host = "127.0.0.1"

// Behaviour is how a server behaves; the zero one takes everything, offers STARTTLS, and
// asks for no password. Replies are whole, with their codes: "451 4.7.1 Later".
type Behaviour struct {
	NoSTARTTLS     bool              `json:"no_starttls,omitempty"`
	Hello          string            `json:"hello,omitempty"`    // the reply to EHLO and HELO
	STARTTLS       string            `json:"starttls,omitempty"` // the reply that refuses it, though it is offered
	RequireTLS     bool              `json:"require_tls,omitempty"`
	User           string            `json:"user,omitempty"`     // who has to sign in; empty: nobody
	Password       string            `json:"password,omitempty"` // or the access token
	Ways           *[]string         `json:"ways,omitempty"`     // of signing in that it offers; nil: aiosmtpd's and XOAUTH2
	Auth           string            `json:"auth,omitempty"`     // the reply to AUTH
	AuthInTheClear bool              `json:"auth_in_the_clear,omitempty"`
	PerConnection  int               `json:"per_connection,omitempty"` // so many messages; it takes no further one over it
	Hold           bool              `json:"hold,omitempty"`           // it takes a message, and says so only when it is told to behave otherwise
	Mail           string            `json:"mail,omitempty"`           // the reply to MAIL FROM
	Rcpt           string            `json:"rcpt,omitempty"`           // to RCPT TO
	RcptOf         map[string]string `json:"rcpt_of,omitempty"`
	BeginData      string            `json:"begin_data,omitempty"`     // to DATA
	Data           string            `json:"data,omitempty"`           // to the whole message
	N              int               `json:"n"`                        // Be sets it
	DieAfterData   bool              `json:"die_after_data,omitempty"` // it takes the message, and hangs up in place of saying so
	Away           bool              `json:"away,omitempty"`           // nobody listens at its ports
	Heads          bool              `json:"heads,omitempty"`          // of what it takes it tells the head alone: for many messages
}

// Message is one that the server took.
type Message struct {
	Helo string   `json:"helo"` // the name that the client gave
	From string   `json:"from"`
	To   []string `json:"to"`
	Raw  string   `json:"raw"`
}

// Header is a field of the message's head, decoded no further.
func (m Message) Header(name string) string {
	parsed, err := mail.ReadMessage(strings.NewReader(m.Raw))
	if err != nil {
		return ""
	}
	return parsed.Header.Get(name)
}

// ID is its Message-ID, without brackets.
func (m Message) ID() string { return strings.Trim(m.Header("Message-ID"), "<>") }

// Server is a running one.
type Server struct {
	Port    int    // in the clear, with STARTTLS
	TLSPort int    // TLS from the first byte
	CAPEM   string // the certificate that vouches for both

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

// Be changes how the server behaves to connections that come from now on.
func (s *Server) Be(t testing.TB, b Behaviour) {
	t.Helper()
	s.set++
	b.N = s.set
	text := must.Get(json.Marshal(b))(t)
	must.Get(s.input.Write(append(text, '\n')))(t)
	s.process.Tells(t, &s.process.Out, `{"set": `+strconv.Itoa(s.set), "}")
}

// Received are the messages that the server took, in their order.
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
