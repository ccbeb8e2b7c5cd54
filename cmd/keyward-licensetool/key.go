package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/signer"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// minPassphrase is the minimum length in characters.
const minPassphrase = 12

func keygenCommand(std IO) *cobra.Command {
	f := &flags{}
	c := commandline.Leaf("keygen", "create a private key, and print the public one",
		`Creates a private key, encrypted with a passphrase, in a new file that only its
owner can read, and prints the public key. A release accepts licenses signed with
the keys it is built with: LICENSE_PUBLIC_KEYS, separated by commas. The file is
an encrypted PKCS #8 key in PEM, which openssl reads, too. Keep copies of it, and
keep the passphrase elsewhere: anyone who has both can issue licenses, and nobody
can without them.`, func(context.Context) error { return f.keygen(std) })
	f.withKey(c)
	return f.withJSON(c)
}

func (f *flags) keygen(std IO) error {
	if err := need([2]string{"key", f.key}); err != nil {
		return err
	}
	if _, err := os.Lstat(f.key); err == nil {
		return fmt.Errorf("%s already exists; choose another file", f.key)
	}
	passphrase, err := f.secret(std, true)
	if err != nil {
		return err
	}
	if utf8.RuneCountInString(passphrase.Reveal()) < minPassphrase {
		return fmt.Errorf("the passphrase must have at least %d characters", minPassphrase)
	}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	var sealed bytes.Buffer
	if err := signer.Seal(&sealed, private, passphrase); err != nil {
		return err
	}
	if err := create(f.key, sealed.Bytes()); err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString(public)
	if f.json {
		return json.NewEncoder(std.Stdout).Encode(map[string]string{"public_key": text, "key_id": license.KeyID(public)})
	}
	_, err = fmt.Fprintln(std.Stdout, text)
	return err
}

func (f *flags) open(std IO) (ed25519.PrivateKey, error) {
	file, err := os.Open(f.key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	passphrase, err := f.secret(std, false)
	if err != nil {
		return nil, err
	}
	return signer.Open(file, passphrase)
}

// secret reads the passphrase from its file or the terminal; a new one twice.
func (f *flags) secret(std IO, fresh bool) (secret.String, error) {
	if f.passphrase != "" {
		file, err := os.Open(f.passphrase)
		if err != nil {
			return secret.String{}, err
		}
		defer func() { _ = file.Close() }() // it is only read
		raw, err := io.ReadAll(io.LimitReader(file, 4096))
		line, _, _ := strings.Cut(string(textinput.Unmarked(raw)), "\n")
		return secret.New(strings.TrimSuffix(line, "\r")), err
	}
	terminal, ok := std.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return secret.String{}, errors.New("there is no terminal to ask for the passphrase: use --passphrase-file")
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(std.Stderr, prompt+": ")
		raw, err := term.ReadPassword(int(terminal.Fd()))
		fmt.Fprintln(std.Stderr)
		return string(raw), err
	}
	first, err := ask("Passphrase of the private key")
	if err != nil || !fresh {
		return secret.New(first), err
	}
	again, err := ask("Once more")
	if err == nil && again != first {
		err = errors.New("the two passphrases differ")
	}
	return secret.New(first), err
}
