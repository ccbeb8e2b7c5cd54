package ca

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// KeyTypes are those of CA keys.
var KeyTypes = []piv.KeyType{piv.RSA2048, piv.RSA3072, piv.RSA4096, piv.ECP256, piv.ECP384}

// Request asks for another CA.
type Request struct {
	SelfSigned bool
	CommonName string      // empty: the active CA's with the next number
	KeyType    piv.KeyType // empty: the active CA's
}

// maxCAs is how many there may be at once: each has a list that is signed every hour.
const maxCAs = 20

// Request makes a CA that signs nothing yet: one with a certificate of its own, or one with a CSR for somebody
// else to sign. Invalid; Conflict if there are too many; VaultUnavailable.
func (s *Service) Request(ctx context.Context, a access.Actor, r Request) (CA, error) {
	list, err := s.List(ctx)
	if err != nil {
		return CA{}, err
	}
	want, err := s.wanted(list, r)
	if err != nil {
		return CA{}, err
	}
	kind := "to be signed by another CA"
	if r.SelfSigned {
		kind = "self-signed"
	}
	entry := audit.By(a, audit.CARequested, "ca", "", fmt.Sprintf("CN=%s, %s, %s", want.CommonName, want.KeyType, kind)).In(nil)
	var made vault.CA
	err = s.record(ctx, entry, vault.CA{CSR: nil, ID: want.CommonName}, func() (err error) {
		made, err = s.PKI.NewCA(ctx, want)
		return err
	})
	if err != nil {
		return CA{}, err
	}
	now := s.Now().UTC()
	if err := s.change(access.OnRecord(ctx), made.ID, func(p *past) { p.RequestedAt = now }); err != nil {
		return CA{}, err
	}
	return s.after(ctx, made.ID)
}

func (s *Service) wanted(list []CA, r Request) (want vault.NewCA, err error) {
	want = vault.NewCA{KeyType: r.KeyType, CommonName: strings.TrimSpace(r.CommonName), SelfSigned: r.SelfSigned}
	living := slices.DeleteFunc(slices.Clone(list), func(c CA) bool { return c.State == Ended })
	if len(living) >= maxCAs {
		return want, fault.Newf(fault.Conflict, "many_cas", "There are {max} CAs that have not ended. Withdraw a request, or wait for an end.",
			fault.Params{"max": maxCAs})
	}
	if want.KeyType == "" {
		want.KeyType = list[0].KeyType
	}
	if !slices.Contains(KeyTypes, want.KeyType) {
		return want, fault.Invalid(fault.NotOneOf("key_type", KeyTypes...))
	}
	taken := func(cn string) bool {
		return slices.ContainsFunc(list, func(c CA) bool { return strings.EqualFold(c.commonName(), cn) })
	}
	if want.CommonName == "" {
		name := list[0].commonName()
		if !r.SelfSigned { // no root any more
			name = strings.Replace(name, " Root", "", 1)
		}
		want.CommonName = next(name, taken)
	}
	if pki.CheckCommonName(want.CommonName) != nil {
		return want, fault.Invalid(fault.Wrong("subject", "bad_common_name", "must be a common name of at most 64 printable characters"))
	}
	if taken(want.CommonName) {
		return want, fault.Invalid(fault.Wrong("subject", "ca_subject_used", "is another CA's: choose one that was never used"))
	}
	return want, nil
}

func (c CA) commonName() string {
	if c.Certificate == nil {
		return c.Request.Subject.CommonName
	}
	return c.Certificate.Subject.CommonName
}

var numbered = regexp.MustCompile(`^(.*\S) (\d{1,6})$`)

// next is a name with the next number that is free.
func next(name string, taken func(string) bool) string {
	n := 1
	if m := numbered.FindStringSubmatch(name); m != nil {
		name = m[1]
		n, _ = strconv.Atoi(m[2])
	}
	for {
		n++
		number := " " + strconv.Itoa(n)
		try := name
		if over := len(try) + len(number) - 64; over > 0 {
			try = strings.ToValidUTF8(try[:len(try)-over], "")
		}
		if try += number; !taken(try) {
			return try
		}
	}
}

// Install gives a requested CA its certificate, with those above it up to the root: PEM. The same again
// is no error. CARejected for a certificate that could not be used; NotFound; VaultUnavailable.
func (s *Service) Install(ctx context.Context, a access.Actor, id, certificate, chain string) (CA, error) {
	c, err := s.find(ctx, id)
	if err != nil {
		return CA{}, err
	}
	cert, above, err := readChain(certificate, chain)
	if err != nil {
		return CA{}, err
	}
	if c.Certificate != nil {
		if bytes.Equal(c.Certificate.Raw, cert.Raw) {
			return c, nil
		}
		return CA{}, errInstalled
	}
	path, err := s.judge(ctx, c, cert, above)
	if err != nil {
		return CA{}, err
	}
	var ders [][]byte
	for _, cert := range path {
		ders = append(ders, cert.Raw)
	}
	installed := vault.CA{ID: id, Chain: ders}
	entry := audit.By(a, audit.CAInstalled, "ca", id, fmt.Sprintf("%s, signed by %s, until %s",
		subject(installed), cert.Issuer, cert.NotAfter.UTC().Format(time.DateOnly))).In(nil)
	if err := s.record(ctx, entry, installed, func() error { return s.PKI.InstallCA(ctx, id, ders) }); err != nil {
		if errors.Is(err, vault.ErrCAS) {
			return CA{}, errInstalled
		}
		return CA{}, err
	}
	now := s.Now().UTC()
	if err := s.change(access.OnRecord(ctx), id, func(p *past) { p.InstalledAt = now }); err != nil {
		return CA{}, err
	}
	return s.after(ctx, id)
}

var errInstalled = fault.New(fault.Conflict, "ca_installed", "This CA has a certificate already. Request another CA for another one.")

// Activate makes a CA sign all certificates from now on. The one before signs its list until its last
// certificate has ended, and may be activated again. CANotActive for one that can't sign; CARejected if it no
// longer fits; NotFound; VaultUnavailable.
func (s *Service) Activate(ctx context.Context, a access.Actor, id string) (CA, error) {
	c, err := s.find(ctx, id)
	if err != nil {
		return CA{}, err
	}
	switch c.State {
	case Active:
		return c, nil
	case Requested:
		return CA{}, fault.New(fault.CANotActive, "ca_requested", "This CA has no certificate yet. Install it first.")
	case Ended:
		return CA{}, fault.New(fault.CANotActive, "ca_ended", "This CA has ended and can't sign. Request another one.")
	case Ready, Retiring:
	}
	if err := s.fits(ctx, c.Chain); err != nil {
		return CA{}, err
	}
	entry := audit.By(a, audit.CAActivated, "ca", id, subject(c.CA)+" signs certificates from now on").In(nil)
	err = s.record(ctx, entry, c.CA, func() error { return s.PKI.ActivateCA(ctx, id) })
	if err != nil {
		return CA{}, err
	}
	if err := s.settle(access.OnRecord(context.WithoutCancel(ctx)), a, id); err != nil {
		return CA{}, err
	}
	return s.after(ctx, id)
}

// Withdraw forgets a requested CA, whose key is lost by that. Conflict for another; NotFound; VaultUnavailable.
func (s *Service) Withdraw(ctx context.Context, a access.Actor, id string) error {
	c, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	if c.State != Requested {
		return errWithdraw
	}
	entry := audit.By(a, audit.CARetired, "ca", id, "the request of "+subject(c.CA)+" is withdrawn").In(nil)
	if err := s.record(ctx, entry, c.CA, func() error { return s.PKI.WithdrawCA(ctx, id) }); err != nil {
		if errors.Is(err, vault.ErrCAS) {
			return errWithdraw
		}
		return err
	}
	return s.change(access.OnRecord(ctx), id, func(p *past) { *p = past{} })
}

var errWithdraw = fault.New(fault.Conflict, "ca_not_requested", "Only a request can be withdrawn: this CA has a certificate.")

// record has an engine's change made once its entry is durable; a second entry says if it was not made.
func (s *Service) record(ctx context.Context, entry audit.Entry, ca vault.CA, do func() error) error {
	if err := s.Log.AppendAudit(ctx, entry.Notifying(s.message(entry, ca)...)); err != nil {
		return err
	}
	err := do()
	if err == nil {
		return nil
	}
	entry.Outcome, entry.Details, entry.Notify = audit.Failure, "not made: "+entry.Details, nil
	if errors.Is(err, vault.ErrUnavailable) { // its answer may be lost
		entry.Details = strings.Replace(entry.Details, "not made", "not confirmed by the vault", 1)
	}
	if failed := s.Log.AppendAudit(access.OnRecord(context.WithoutCancel(ctx)), entry); failed != nil {
		return failed
	}
	if errors.Is(err, vault.ErrCAS) {
		return err
	}
	return vault.Fault(err)
}

// find returns a CA; NotFound.
func (s *Service) find(ctx context.Context, id string) (CA, error) {
	list, err := s.List(ctx)
	if err != nil {
		return CA{}, err
	}
	i := slices.IndexFunc(list, func(c CA) bool { return c.ID == id })
	if i < 0 {
		return CA{}, fault.New(fault.NotFound, "ca", "There is no such CA.")
	}
	return list[i], nil
}

// after returns a CA that has been changed.
func (s *Service) after(ctx context.Context, id string) (CA, error) {
	if s.Changed != nil {
		s.Changed(ctx)
	}
	return s.find(ctx, id)
}
