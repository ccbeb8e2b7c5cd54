package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

const passwordHelp = `Your password comes from KEYWARD_PASSWORD, otherwise from a prompt or the first
line of standard input.`

const serverDefault = "http://127.0.0.1:8080"

// maxSecret bounds a line that holds a secret, in bytes.
const maxSecret = 4096

// signIn is what every command needs that talks to a server.
type signIn struct {
	server    string
	username  string
	who       string // the flag for username
	allowHTTP bool
	std       IO
	lines     *bufio.Reader
}

func newSignIn(std IO) *signIn {
	return &signIn{std: std, server: serverDefault, lines: bufio.NewReaderSize(std.Stdin, maxSecret)}
}

// flags adds the sign-in's flags; who is the one for the username.
func (s *signIn) flags(c *cobra.Command, who string) {
	s.who = who
	commandline.Text(c, &s.server, "server", "URL", "the service, for example https://keyward.example.org")
	commandline.Text(c, &s.username, who, "NAME", "your username (KEYWARD_USERNAME)")
	commandline.Bool(c, &s.allowHTTP, "allow-http", "send passwords over plain http to another machine")
}

// connect returns a connection that is not signed in.
func (s *signIn) connect() (*client.Backend, error) {
	s.username = cmp.Or(s.username, s.std.Getenv("KEYWARD_USERNAME"))
	if s.username == "" {
		return nil, usagef("--%s is missing (or KEYWARD_USERNAME)", s.who)
	}
	b, err := client.NewBackend(s.server, client.BackendOptions{AllowHTTP: s.allowHTTP, UserAgent: "keyward/" + version})
	if err != nil {
		return nil, usagef("--server: %v", err)
	}
	return b, nil
}

// with signs in, works, and signs out again, even if the work fails.
func (s *signIn) with(ctx context.Context, work func(*client.Backend) error) (err error) {
	b, err := s.connect()
	if err != nil {
		return err
	}
	password, err := s.secret("KEYWARD_PASSWORD", "Password of "+s.username)
	if err != nil {
		return err
	}
	if _, err := b.Login(ctx, s.username, password); err != nil {
		if fault.Is(err, fault.PasswordExpired) {
			return fmt.Errorf("you must change this password first: keyward passwd --server %s --username %s", s.server, s.username)
		}
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if b.Logout(end) != nil && err == nil {
			fmt.Fprintln(s.std.Stderr, "Could not sign out; the session ends within the hour.")
		}
	}()
	return work(b)
}

// again asks for the password once more: the server requires the signed-in user to
// prove their identity again.
func (s *signIn) again(ctx context.Context, b *client.Backend) error {
	password, err := s.secret("KEYWARD_PASSWORD", "Confirm that it's you: password of "+s.username)
	if err != nil {
		return err
	}
	return b.Reauthenticate(ctx, password)
}

// secret reads one secret: from the environment, a prompt, or the next line
// of standard input.
func (s *signIn) secret(variable, prompt string) (secret.String, error) {
	if variable != "" {
		if v := s.std.Getenv(variable); v != "" {
			return secret.New(v), nil
		}
	}
	if fd, ok := s.terminal(); ok {
		fmt.Fprint(s.std.Stderr, prompt+": ")
		raw, err := term.ReadPassword(fd)
		fmt.Fprintln(s.std.Stderr)
		if err != nil {
			return secret.String{}, fmt.Errorf("reading from the terminal: %w", err)
		}
		return secret.New(string(raw)), nil
	}
	line, err := s.line()
	if err != nil {
		return secret.String{}, fmt.Errorf("%s: standard input has no line left for it", prompt)
	}
	return secret.New(line), nil
}

// twice prompts for a new secret and its repetition. A line of standard input is read
// only once, since only people mistype.
func (s *signIn) twice(variable, prompt string) (secret.String, error) {
	v, err := s.secret(variable, prompt)
	if err != nil {
		return v, err
	}
	if _, ok := s.terminal(); !ok || (variable != "" && s.std.Getenv(variable) != "") {
		return v, nil
	}
	again, err := s.secret("", "The same again")
	if err == nil && !v.Equal(again) {
		err = errors.New("the two don't match; nothing was changed")
	}
	return v, err
}

func (s *signIn) terminal() (fd int, ok bool) {
	f, ok := s.std.Stdin.(*os.File)
	if !ok {
		return 0, false
	}
	fd = int(f.Fd()) // #nosec G115 -- a file descriptor
	return fd, term.IsTerminal(fd)
}

// line reads the next line of standard input, without its end.
func (s *signIn) line() (string, error) {
	raw, err := s.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", errors.New("the line is too long")
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(raw) == 0) {
		return "", err
	}
	return strings.TrimRight(string(textinput.Unmarked(raw)), "\r\n"), nil
}

// agrees asks a yes-no question. Without a terminal the answer is no, and hint says
// what would have helped.
func (s *signIn) agrees(text, hint string) (bool, error) {
	if _, ok := s.terminal(); !ok {
		fmt.Fprintln(s.std.Stderr, text, "No: there is nobody to answer ("+hint+").")
		return false, nil
	}
	fmt.Fprint(s.std.Stderr, text, " [y/N] ")
	answer, err := s.line()
	if err != nil {
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}
