package vaultpart_test

import (
	"crypto/x509"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

var anyOrder = cmp.Options{cmpopts.SortSlices(func(a, b vault.CA) bool { return a.ID < b.ID }), cmpopts.EquateEmpty()}

// renewed makes another CA and has it sign.
func renewed(t *testing.T, e *embedded.Engine, name string) vault.CA {
	t.Helper()
	next := must.Get(e.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: name, SelfSigned: true}))(t)
	must.OK(t, e.ActivateCA(t.Context(), next.ID))
	return must.Get(vault.ActiveCA(t.Context(), e))(t)
}

// onList returns the serial numbers on a CA's list, which that CA signed.
func onList(t *testing.T, e *embedded.Engine, ca vault.CA) (list []string) {
	t.Helper()
	parsed := must.Get(x509.ParseRevocationList(must.Get(e.CRL(t.Context(), ca.ID))(t).DER))(t)
	must.OK(t, parsed.CheckSignatureFrom(must.Get(x509.ParseCertificate(ca.Chain[0]))(t)))
	for _, entry := range parsed.RevokedCertificateEntries {
		list = append(list, vault.SerialOf(entry.SerialNumber))
	}
	return list
}

// TestSeveralCAs: a backup has all CAs, each with its revocations. On a new computer they are restored as they
// were; over a living vault they are united with those that came since, of which one signs.
func TestSeveralCAs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := openEmbedded(t, dir)
	fill(t, from, lived())
	csr, at := vaulttest.NewCSR(t, vaulttest.RSAKey()), time.Now().Truncate(time.Second)
	first := must.Get(vault.ActiveCA(t.Context(), from))(t)
	early := revocation(t, from, csr, at)
	second := renewed(t, from, "Second")
	late := revocation(t, from, csr, at)
	must.OK(t, from.Revoke(t.Context(), early, late))
	must.Get(from.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Requested"}))(t)
	must.OK(t, from.RaiseCRL(t.Context(), first.ID, 30, nil))
	must.OK(t, from.RaiseCRL(t.Context(), second.ID, 50, nil))
	want := must.Get(from.CAs(t.Context()))(t)
	b := read(t, from)

	to := openEmbedded(t, t.TempDir())
	for range 2 { // the second time as after an interruption
		if r := b.whole(t, to, vaultpart.Options{Over: restore.Empty, ReplaceCA: true, Now: time.Now()}); len(r.Warnings) > 0 {
			t.Errorf("warnings: %v", r.Warnings)
		}
	}
	if diff := cmp.Diff(want, must.Get(to.CAs(t.Context()))(t), anyOrder); diff != "" {
		t.Errorf("on a new computer: %s", diff)
	}
	for ca, serial := range map[*vault.CA]string{&first: early.Serial, &second: late.Serial} {
		if list := onList(t, to, *ca); !slices.Equal(list, []string{serial}) {
			t.Errorf("on the list of %s: %v, want %s", ca.ID, list, serial)
		}
	}
	for id, above := range map[string]uint64{first.ID: 30, second.ID: 50} {
		if list := must.Get(to.CRL(t.Context(), id))(t); list.Number <= above {
			t.Errorf("number %d, want more than %d", list.Number, above)
		}
	}

	third := renewed(t, from, "Third")
	since := revocation(t, from, csr, at)
	must.OK(t, from.Revoke(t.Context(), since))
	b.whole(t, from, vaultpart.Options{Over: restore.InUse, ReplaceCA: true, Now: time.Now()})
	if now := must.Get(from.CAs(t.Context()))(t); len(now) != 4 || now[0].ID != third.ID {
		t.Errorf("over a living vault: %v", now)
	}
	if list := onList(t, from, third); !slices.Equal(list, []string{since.Serial}) {
		t.Errorf("the newest list: %v", list)
	}

	before := openEmbedded(t, t.TempDir()) // of the same installation, before its CA was renewed
	takeFirst(t, before, from, first.ID)
	b.whole(t, before, vaultpart.Options{Over: restore.InUse, Now: time.Now()})
	if now := must.Get(before.CAs(t.Context()))(t); len(now) != 3 || now[0].ID != first.ID {
		t.Errorf("over an older vault: %v", now)
	}
	if list := onList(t, before, second); !slices.Equal(list, []string{late.Serial}) {
		t.Errorf("the list of the CA that came: %v", list)
	}
}

// takeFirst makes another vault's first CA the only one.
func takeFirst(t *testing.T, to, from *embedded.Engine, id string) {
	t.Helper()
	all := must.Get(from.ExportCAs(t.Context()))(t)
	one := all[slices.IndexFunc(all, func(x vault.ExportedCA) bool { return x.ID == id })]
	one.Active, one.First = true, true
	must.OK(t, to.RestoreCAs(t.Context(), []vault.ExportedCA{one}, vault.CARestore{Replace: true, Drop: true}))
}
