package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// KeyCommand is the argument of the program that Apart starts.
const KeyCommand = "derive-backup-key"

// Apart is a program that derives keys in a process of its own, so that a server's requests
// do not wait: on one processor, and only when nothing else wants that (sched(7),
// SCHED_IDLE). It is this program, whose main calls DeriveKey.
type Apart struct {
	// Path is its file, Name what it is called; its only argument is KeyCommand. It gets
	// the password by a pipe, and an environment without secrets.
	Path, Name string
	// Patience is how long it may take: a second where the machine has nothing else to do.
	Patience time.Duration
	// Failed is told why a key had to be derived in this process all the same.
	Failed func(error)
}

// Apart is the password with its keys derived by a program; nil changes nothing. Nor does
// another system than Linux.
func (p Password) Apart(by *Apart) Password {
	if canStepBack {
		p.apart = by
	}
	return p
}

func (a *Apart) derive(text, salt []byte) (key []byte, ok bool) {
	key, err := a.ask(text, salt)
	if err != nil {
		a.Failed(fmt.Errorf("archive: no key from a process of its own: %w", err))
	}
	return key, err == nil
}

func (a *Apart) ask(text, salt []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), a.Patience)
	defer cancel()
	question := append(bytes.Clone(salt), text...)
	defer clear(question)
	cmd := exec.CommandContext(ctx, a.Path) // #nosec G204 -- this program
	cmd.Args = []string{a.Name, KeyCommand}
	cmd.Env = []string{"GOMAXPROCS=1"} // all lanes on one processor: another is left
	cmd.Stdin = bytes.NewReader(question)
	key, err := cmd.Output()
	if err == nil && len(key) != keyBytes {
		err = errors.New("it wrote something else")
	}
	return key, err
}

// DeriveKey is the work of Apart's program: it reads salt and password to their end, and
// writes the key.
func DeriveKey(in io.Reader, out io.Writer) error {
	if err := stepBack(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return answer(in, out)
}

func answer(in io.Reader, out io.Writer) error {
	question, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if len(question) < saltBytes {
		return errors.New("archive: salt and password are missing")
	}
	_, err = out.Write(deriveKey(question[saltBytes:], question[:saltBytes]))
	return err
}
