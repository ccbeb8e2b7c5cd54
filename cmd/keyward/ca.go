package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/textinput"
)

// caCommand is "keyward ca".
func caCommand(std IO) *cobra.Command {
	return commandline.Group("ca COMMAND", "renew the CA, or put it under your own root",
		`Lists the certificate authorities (CAs), and makes others: to renew the CA, or to put
it under your own root. To do that:

  keyward ca request --parent external --out ca.csr    then have it signed as a CA
  keyward ca install ID --certificate ca.pem --chain root.pem
  keyward ca activate ID    once everything that checks certificates trusts the root

CAs before the active one only sign their revocation lists, until their last
certificates have expired.`,
		caList(std), caRequest(std), caInstall(std), caActivate(std), caWithdraw(std))
}

func caList(std IO) *cobra.Command {
	s := newSignIn(std)
	var asJSON bool
	c := commandline.Leaf("list", "list the CAs, the active one first",
		"Lists the CAs, the active one first, and the revocation lists of those above them.\n\n"+passwordHelp,
		func(ctx context.Context) error {
			return s.with(ctx, func(b *client.Backend) error {
				all, err := b.CAs(ctx)
				if err != nil {
					return err
				}
				return show(std, asJSON, all, func() {
					w := tabwriter.NewWriter(std.Stdout, 0, 8, 2, ' ', 0)
					fmt.Fprintln(w, "ID\tSTATE\tEXPIRES\tCERTIFICATES\tSUBJECT")
					for _, ca := range all.Items {
						fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", ca.ID, ca.State, dayOf(ca.NotAfter), ca.CertificatesLive, ca.Subject)
					}
					_ = w.Flush()
					showParents(std, all.ParentCRLs)
				})
			})
		})
	commandline.Bool(c, &asJSON, "json", "print them as JSON, with their certificates and requests")
	s.flags(c, "username")
	return c
}

func showParents(std IO, lists []client.ParentCRL) {
	if len(lists) == 0 {
		return
	}
	fmt.Fprintln(std.Stdout)
	w := tabwriter.NewWriter(std.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "PARENT CRL\tNEXT UPDATE\tPROBLEM\tISSUER")
	for _, l := range lists {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.File, dayOf(l.NextUpdate), orDash(l.Problem), orDash(l.Issuer))
	}
	_ = w.Flush()
}

func dayOf(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.DateOnly)
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

func caRequest(std IO) *cobra.Command {
	s := newSignIn(std)
	n := client.NewCA{Parent: "self"}
	var out string
	c := commandline.Leaf("request", "make another CA, or the request for one",
		`Makes a CA with a new key. It signs nothing until it is activated. With --parent
external, your own CA signs it: this prints the request (CSR), or writes it to a file.

`+passwordHelp,
		func(ctx context.Context) error {
			if out != "" && n.Parent != "external" {
				return usagef("ca request: --out is for --parent external: a CA that signs itself has no request")
			}
			if _, err := os.Lstat(out); out != "" && err == nil {
				return fmt.Errorf("--out: %s exists already; choose another name", out)
			}
			return s.with(ctx, func(b *client.Backend) error {
				ca, err := b.RequestCA(ctx, n)
				if err != nil {
					return err
				}
				return requested(std, ca, out)
			})
		})
	commandline.OneOf(c, &n.Parent, "parent", "PARENT", "who signs it: self (it signs itself) or external (your own CA)", "self", "external")
	commandline.Text(c, &n.Subject, "subject", "NAME", "its common name, never used before (default: the active CA's with the next number)")
	commandline.OneOf(c, &n.KeyType, "key-type", "TYPE", "rsa-2048, rsa-3072, rsa-4096, ec-p256 or ec-p384 (default: the active CA's)",
		"rsa-2048", "rsa-3072", "rsa-4096", "ec-p256", "ec-p384")
	commandline.Text(c, &out, "out", "FILE", "write the request to this file, which must not exist")
	s.flags(c, "username")
	return c
}

// requested says what has been made, and what comes next. Only a CSR goes to standard output if no file is given.
func requested(std IO, ca client.CA, out string) error {
	switch {
	case ca.CSR == nil:
		_, err := fmt.Fprintf(std.Stdout, "CA %s (%s) is ready.\nHave its certificate trusted wherever certificates are checked, then run: "+
			"keyward ca activate %s\n", ca.ID, ca.Subject, ca.ID)
		return err
	case out == "":
		fmt.Fprintf(std.Stderr, "CA %s (%s) is requested.\n", ca.ID, ca.Subject)
		_, err := fmt.Fprint(std.Stdout, *ca.CSR)
		return err
	}
	if err := writeNew(out, *ca.CSR); err != nil {
		return fmt.Errorf("CA %s is requested, but its request could not be written; keyward ca list --json has it: %w", ca.ID, err)
	}
	_, err := fmt.Fprintf(std.Stdout, "CA %s (%s) is requested.\nHave %s signed as a CA, then run: "+
		"keyward ca install %s --certificate FILE --chain FILE\n", ca.ID, ca.Subject, out, ca.ID)
	return err
}

func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // #nosec G302 G304 -- a request is public, and the path the caller's
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func caInstall(std IO) *cobra.Command {
	s := newSignIn(std)
	var certificate, chain string
	c := commandline.WithArguments("install ID", "give a requested CA its certificate",
		`Gives a requested CA the certificate that your CA made from its request, and those above
it up to the root, PEM or DER, in any order. It signs nothing until it is activated.

`+passwordHelp, 1,
		func(ctx context.Context, args []string) error {
			id, err := idOf("install", args)
			if err != nil {
				return err
			}
			if certificate == "" {
				return usagef("ca install: --certificate is missing")
			}
			var body client.CACertificateBody
			if body.Certificate, err = readPEM("certificate", certificate); err != nil {
				return err
			}
			if chain != "" {
				if body.Chain, err = readPEM("chain", chain); err != nil {
					return err
				}
			}
			return s.with(ctx, func(b *client.Backend) error {
				ca, err := b.InstallCA(ctx, id, body)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(std.Stdout, "CA %s has its certificate.\nHave %s trusted wherever certificates are checked, then run: "+
					"keyward ca activate %s\n", ca.ID, ca.Chain[len(ca.Chain)-1].Subject, ca.ID)
				return err
			})
		})
	commandline.Text(c, &certificate, "certificate", "FILE", "its certificate; those above it may follow")
	commandline.Text(c, &chain, "chain", "FILE", "the certificates above it, with the root")
	s.flags(c, "username")
	return c
}

// readPEM reads certificates from a file.
func readPEM(flag, path string) (string, error) {
	raw, err := textinput.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--%s: %w", flag, err)
	}
	if _, err := x509.ParseCertificate(raw); err == nil { // DER, which Windows writes
		raw = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	}
	return string(raw), nil
}

func caActivate(std IO) *cobra.Command {
	return caChange(std, "activate", "have a CA sign all certificates from now on",
		`Has a CA sign all certificates from now on. Those on tokens stay valid. The CA before it
signs its revocation list until the last of them has expired, and can be activated again.
Everything that checks certificates must trust the new root first: otherwise people with
new certificates can't sign in there.`,
		func(ctx context.Context, b *client.Backend, id string) error {
			ca, err := b.ActivateCA(ctx, id)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.Stdout, "CA %s (%s) signs certificates from now on.\n", ca.ID, ca.Subject)
			return err
		})
}

func caWithdraw(std IO) *cobra.Command {
	return caChange(std, "withdraw", "withdraw the request of a CA",
		"Withdraws the request of a CA that has no certificate yet. Its key is lost.",
		func(ctx context.Context, b *client.Backend, id string) error {
			if err := b.WithdrawCA(ctx, id); err != nil {
				return err
			}
			_, err := fmt.Fprintf(std.Stdout, "The request of CA %s is withdrawn.\n", id)
			return err
		})
}

// caChange is a command that takes nothing but a CA's ID.
func caChange(std IO, name, short, long string, do func(context.Context, *client.Backend, string) error) *cobra.Command {
	s := newSignIn(std)
	c := commandline.WithArguments(name+" ID", short, long+"\n\n"+passwordHelp, 1,
		func(ctx context.Context, args []string) error {
			id, err := idOf(name, args)
			if err != nil {
				return err
			}
			return s.with(ctx, func(b *client.Backend) error { return do(ctx, b, id) })
		})
	s.flags(c, "username")
	return c
}

func idOf(command string, args []string) (string, error) {
	if first(args) == "" {
		return "", usagef("ca %s: give the CA's ID; keyward ca list shows it", command)
	}
	return first(args), nil
}
