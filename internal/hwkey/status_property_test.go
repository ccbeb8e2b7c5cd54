package hwkey_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
)

// csr is a request for a new key: one of before may be compromised.
func csr(t testing.TB, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return csrOf(t, name, key)
}

func csrOf(t testing.TB, name string, key crypto.Signer) string {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name}}, key)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// walk is one token with its model.
type walk struct {
	*world
	t      *testing.T
	serial string
	model  model
	people []*access.Actor // by the model's index
	ever   map[string]bool // serial numbers of certificates that were seen revoked
	signed int
}

// TestStatusProperty walks tokens through random lives, by PATCH, bulk
// changes, enrolment, reset, signing and reading, as a manager and as the
// owner, and holds the service to the model after each step.
func TestStatusProperty(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.keys.ReleaseLimit = 10_000
	tokens := 0
	rapid.Check(t, func(rt *rapid.T) {
		tokens++
		v := &walk{world: w, t: t, serial: serialOf(tokens), people: []*access.Actor{nil, &w.alex, &w.amy}, ever: map[string]bool{}}
		v.model.owner = rapid.IntRange(0, 2).Draw(rt, "first owner")
		v.model.status = hwkey.InStock
		if v.model.owner != 0 {
			v.model.status = hwkey.Assigned
		}
		w.register(t, v.serial, v.people[v.model.owner])
		v.compare(rt)
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			v.step(rt)
			v.compare(rt)
		}
	})
}

func (v *walk) step(rt *rapid.T) {
	actor, byOwner := v.manager, false
	if v.model.owner != 0 && rapid.Bool().Draw(rt, "as the owner") {
		actor, byOwner = *v.people[v.model.owner], true
	}
	before := v.model
	var want fault.Code
	var err error
	move := rapid.SampledFrom([]string{"status", "owner", "both", "bulk", "enrolled", "reset", "sign", "secrets"}).Draw(rt, "move")
	switch move {
	case "enrolled":
		want = v.model.enrol(byOwner)
		_, err = v.keys.Enrolled(rt.Context(), actor, scope(v.t, actor), v.serial)
	case "reset":
		want = v.model.reset(byOwner)
		_, err = v.keys.Reset(rt.Context(), actor, scope(v.t, actor), v.serial, "")
	case "sign":
		want = v.model.sign()
		v.signed++
		_, err = v.certs.Sign(rt.Context(), actor, scope(v.t, actor), v.serial, cert.SignRequest{
			CSR: csr(v.t, fmt.Sprint(v.serial, "/", v.signed)), Slot: "9c", Reason: "look",
		})
	case "secrets":
		if byOwner && v.model.barred() {
			want = fault.PermissionDenied
		}
		_, err = v.keys.Secrets(rt.Context(), actor, scope(v.t, actor), v.serial, hwkey.ReleaseRequest{Reason: "look"})
	default:
		want, err = v.patch(rt, move, actor, byOwner)
	}
	if fault.CodeOf(err) != want {
		rt.Fatalf("from %+v: got %v, want %q", before, err, want)
	}
	if d, err := v.keys.Get(rt.Context(), access.All(), v.serial); err != nil || d.Status == hwkey.InStock &&
		before.status != hwkey.InStock && move != "reset" {
		rt.Fatalf("from %+v by %s to stock (%v)", before, move, err)
	}
}

// patch asks for another status, another owner or both, alone or in bulk.
func (v *walk) patch(rt *rapid.T, move string, actor access.Actor, byOwner bool) (want fault.Code, err error) {
	var p hwkey.Patch
	var owner *int
	var status *hwkey.Status
	if move != "owner" {
		s := rapid.SampledFrom(hwkey.Statuses).Draw(rt, "status")
		status, p.Status = &s, &s
	}
	if move == "owner" || move == "both" || move == "bulk" && rapid.Bool().Draw(rt, "with an owner") {
		o := rapid.IntRange(0, 2).Draw(rt, "owner")
		var id *int64
		if o != 0 {
			id = &v.people[o].UserID
		}
		owner, p.OwnerID = &o, &id
	}
	if byOwner && (owner != nil || *status != hwkey.Lost) {
		want = fault.PermissionDenied
	} else {
		want = v.model.patch(owner, status)
	}
	if move != "bulk" {
		_, err = v.keys.Update(rt.Context(), actor, scope(v.t, actor), v.serial, p)
		return want, err
	}
	results, err := v.keys.Bulk(rt.Context(), actor, scope(v.t, actor), []string{"no-such-token", v.serial}, p)
	if err != nil || len(results) != 2 || results[0].Outcome != hwkey.HasFailed {
		return want, errors.Join(err, fmt.Errorf("bulk: %+v", results))
	}
	return want, results[1].Err
}

// compare holds the token on record, and its certificates, to the model.
func (v *walk) compare(rt *rapid.T) {
	d, err := v.keys.Get(rt.Context(), access.All(), v.serial)
	if err != nil {
		rt.Fatal(err)
	}
	var owner *int64
	if v.model.owner != 0 {
		owner = &v.people[v.model.owner].UserID
	}
	if d.Status != v.model.status || !cmp.Equal(d.OwnerID, owner) || (d.EnrolledAt != nil) != v.model.enrolled {
		rt.Fatalf("the token is %s of %v, enrolled %v; want %+v", d.Status, d.OwnerUsername, d.EnrolledAt, v.model)
	}
	next := d.Next(scope(v.t, v.manager))
	if slices.Sort(next); !cmp.Equal(next, sorted(v.model.next())) {
		rt.Fatalf("next statuses of %+v: %v, want %v", v.model, next, v.model.next())
	}
	for _, own := range d.Next(scope(v.t, v.alex)) {
		if own != hwkey.Lost {
			rt.Fatalf("a user is shown that the own token may become %s", own)
		}
	}
	live, err := v.certs.LiveOf(rt.Context(), []string{v.serial})
	if err != nil {
		rt.Fatal(err)
	}
	if len(live[v.serial]) != v.model.live {
		rt.Fatalf("%d live certificates, want %d of %+v", len(live[v.serial]), v.model.live, v.model)
	}
	for _, c := range live[v.serial] {
		if v.ever[c.SerialNumber] {
			rt.Fatal("a certificate that was revoked lives again")
		}
	}
	v.remember(rt)
}

// remember notes which certificates are revoked.
func (v *walk) remember(rt *rapid.T) {
	list, err := v.db.ListCertificates(rt.Context(), access.All(),
		cert.Filter{HWKeySerial: v.serial, Status: cert.Revoked, Now: v.now()}, page.Request{Limit: page.MaxLimit})
	if err != nil {
		rt.Fatal(err)
	}
	for _, c := range list.Items {
		v.ever[c.SerialNumber] = true
	}
}

func sorted(s []hwkey.Status) []hwkey.Status { slices.Sort(s); return s }
