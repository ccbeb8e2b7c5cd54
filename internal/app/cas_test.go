package app_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

const casPath = "/api/admin/cas"

// office is a root of openssl's with the CAs that it signs.
type office struct {
	t    *testing.T
	dir  string
	root string // PEM
}

func newOffice(t *testing.T, more ...string) *office {
	t.Helper()
	o := &office{t: t, dir: t.TempDir()}
	o.run("", slices.Concat([]string{"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", o.file("root.key"),
		"-out", o.file("root.pem"), "-subj", "/O=Example/CN=Example Root", "-days", "3650", "-addext",
		"keyUsage=critical,keyCertSign,cRLSign"}, more)...)
	o.root = string(must.Get(os.ReadFile(o.file("root.pem")))(t))
	return o
}

func (o *office) file(name string) string { return filepath.Join(o.dir, name) }

func (o *office) run(stdin string, arguments ...string) string {
	o.t.Helper()
	cmd := exec.CommandContext(o.t.Context(), "openssl", arguments...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("openssl %s: %s", strings.Join(arguments, " "), out)
	}
	return string(out)
}

const (
	plainCA  = "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n"
	longDays = "1000"
)

// sign has the root sign a CA's request.
func (o *office) sign(csr, extensions, days string) string {
	o.t.Helper()
	must.OK(o.t, os.WriteFile(o.file("extensions"), []byte(extensions), 0o600))
	o.run(csr, "x509", "-req", "-CA", o.file("root.pem"), "-CAkey", o.file("root.key"), "-CAcreateserial", "-out", o.file("ca.pem"),
		"-days", days, "-extfile", o.file("extensions"))
	return string(must.Get(os.ReadFile(o.file("ca.pem")))(o.t))
}

// cas are the CAs by ID, and the active one's ID.
func (w *fixture) cas() (byID map[string]m, active string) {
	w.t.Helper()
	byID = map[string]m{}
	for i, item := range w.must(200, "GET", casPath, w.tokens["admin"], nil)["items"].([]any) {
		ca := item.(m)
		byID[ca["id"].(string)] = ca
		if i == 0 {
			active = ca["id"].(string)
		}
	}
	return byID, active
}

// crlLists reports whether the list at a path has a certificate.
func (w *fixture) crlLists(path, serial string) bool {
	w.t.Helper()
	list := must.Get(x509.ParseRevocationList(w.fetch(path)))(w.t)
	return slices.ContainsFunc(list.RevokedCertificateEntries, func(e x509.RevocationListEntry) bool {
		want, _ := new(big.Int).SetString(serial, 16)
		return e.SerialNumber.Cmp(want) == 0
	})
}

// TestUnderOwnRoot: a CA requested, signed by a root of openssl's, installed and activated signs what openssl
// verifies up to that root; both CAs revoke on their own lists, and answer by OCSP.
func TestUnderOwnRoot(t *testing.T) {
	t.Parallel()
	w, root := newFixture(t), newOffice(t)
	admin := w.tokens["admin"]
	before := w.certify(200, "before", "9a", "")
	was, first := w.cas()
	asked := w.must(201, "POST", casPath, admin, m{"parent": "external", "subject": "Example Tokens", "key_type": "ec-p256"})
	id, csr := asked["id"].(string), asked["csr"].(string)
	if asked["state"] != "requested" || asked["subject"] != "CN=Example Tokens" || asked["key_type"] != "ec-p256" {
		t.Errorf("requested: %v", asked)
	}
	wrong(t, w.must(409, "POST", casPath+"/"+id+"/activate", admin, nil), "ca_not_active", "ca_requested")

	install := m{"certificate": root.sign(csr, plainCA, longDays), "chain": root.root}
	ready := w.must(200, "POST", casPath+"/"+id+"/certificate", admin, install)
	w.must(200, "POST", casPath+"/"+id+"/certificate", admin, install) // its answer may have been lost
	if ready["state"] != "ready" || ready["parent"] != "CN=Example Root,O=Example" || len(ready["chain"].([]any)) != 2 {
		t.Errorf("installed: %v", ready)
	}
	wrong(t, w.must(409, "POST", casPath+"/"+id+"/certificate", admin, m{"certificate": root.sign(csr, plainCA, "900"), "chain": root.root}),
		"conflict", "ca_installed")
	wrong(t, w.must(409, "DELETE", casPath+"/"+id, admin, nil), "conflict", "ca_not_requested")
	w.must(200, "POST", casPath+"/"+id+"/activate", admin, nil)
	w.must(200, "POST", casPath+"/"+id+"/activate", admin, nil)

	after := w.certify(200, "after", "9c", "default")
	if again := w.certify(200, "before", "9a", ""); again["serial_number"] != before["serial_number"] ||
		!slices.Equal(again["chain"].([]any), before["chain"].([]any)) {
		t.Error("the same CSR has another certificate or chain")
	}
	all, active := w.cas()
	await.That(t, "the new certificate counts", func() bool { // a count that was slow serves for a while
		all, active = w.cas()
		return all[id]["certificates_live"] == 1.0
	})
	if active != id || all[first]["state"] != "retiring" || all[first]["certificates_live"] != was[first]["certificates_live"] ||
		all[first]["last_ends_at"] == nil {
		t.Errorf("active %s, %v: %v %v", active, all[first]["state"], all[first]["certificates_live"], all[id]["certificates_live"])
	}
	w.verifies(root, id, after["certificate"].(string))

	paths := map[string]string{before["serial_number"].(string): "/api/pki/crl", after["serial_number"].(string): "/api/pki/crl/" + id}
	for serial := range paths {
		w.must(200, "POST", "/api/certificates/"+serial+"/revoke", admin, m{"reason": "superseded"})
	}
	for serial, path := range paths {
		for _, other := range paths {
			if w.crlLists(other, serial) != (path == other) {
				t.Errorf("%s on %s, want it on %s alone", serial, other, path)
			}
		}
	}
	for which, signed := range map[string]m{"/api/pki/ca": before, "/api/pki/ca/" + id: after} {
		w.askOCSP(root, which, signed["certificate"].(string))
	}
	chain := string(w.fetch("/api/pki/ca_chain"))
	if parts := strings.Count(chain, "BEGIN"); parts != 3 || !strings.HasPrefix(chain, string(w.fetch("/api/pki/ca/"+id))) {
		t.Errorf("the chain has %d certificates:\n%s", parts, chain)
	}
	w.must(404, "GET", "/api/pki/crl/0123456789abcdef", "", nil)
	w.must(404, "GET", "/api/pki/ca/0123456789abcdef.cer", "", nil)
}

// verifies has openssl verify a certificate of a later CA, with its list, and find its addresses.
func (w *fixture) verifies(root *office, id, certificate string) {
	w.t.Helper()
	leaf, ca, list := root.file("leaf.pem"), root.file("issuer.pem"), root.file("list.pem")
	must.OK(w.t, os.WriteFile(leaf, []byte(certificate), 0o600))
	must.OK(w.t, os.WriteFile(ca, w.fetch("/api/pki/ca/"+id), 0o600))
	must.OK(w.t, os.WriteFile(list, w.fetch("/api/pki/crl/"+id+"?format=pem"), 0o600))
	out := root.run("", "verify", "-x509_strict", "-CAfile", root.file("root.pem"), "-untrusted", ca, "-crl_check", "-CRLfile", list, leaf)
	if !strings.Contains(out, "OK") {
		w.t.Errorf("openssl: %s", out)
	}
	text := root.run("", "x509", "-in", leaf, "-noout", "-text")
	for _, address := range []string{"/api/pki/crl/" + id, "/api/pki/ca/" + id + ".cer"} {
		if !strings.Contains(text, address) {
			w.t.Errorf("no address %s in %s", address, text)
		}
	}
	if block, _ := pem.Decode(w.fetch("/api/pki/ca/" + id)); !bytes.Equal(block.Bytes, w.fetch("/api/pki/ca/"+id+".cer")) {
		w.t.Error("two certificates of one CA")
	}
}

// askOCSP has openssl ask about a revoked certificate of the CA at a path.
func (w *fixture) askOCSP(o *office, ca, certificate string) {
	w.t.Helper()
	issuer, leaf := o.file("ocsp-ca.pem"), o.file("ocsp-leaf.pem")
	must.OK(w.t, os.WriteFile(issuer, w.fetch(ca), 0o600))
	must.OK(w.t, os.WriteFile(leaf, []byte(certificate), 0o600))
	out := o.run("", "ocsp", "-issuer", issuer, "-cert", leaf, "-url", w.base+"/api/pki/ocsp", "-CAfile", issuer, "-partial_chain")
	if !strings.Contains(out, "Response verify OK") || !strings.Contains(out, ": revoked") {
		w.t.Errorf("%s: %s", ca, out)
	}
}

// TestCertificatesOfCAsRefused: what could not be used is refused, with the reason, and changes nothing.
func TestCertificatesOfCAsRefused(t *testing.T) {
	t.Parallel()
	w, root := newFixture(t), newOffice(t)
	admin := w.tokens["admin"]
	asked := w.must(201, "POST", casPath, admin, m{"parent": "external"})
	path, csr := casPath+"/"+asked["id"].(string), asked["csr"].(string)
	if asked["subject"] != "CN=Keyward CA 2" {
		t.Errorf("it would be called %v", asked["subject"])
	}
	other := w.must(201, "POST", casPath, admin, m{"parent": "external"})
	good := root.sign(csr, plainCA, longDays)
	short := newOffice(t, "-addext", "basicConstraints=critical,CA:TRUE,pathlen:0")
	unkeyed := strings.Replace(plainCA, "subjectKeyIdentifier=hash", "subjectKeyIdentifier=none", 1)
	const people = plainCA + "nameConstraints=critical,permitted;dirName:d\n[d]\nO=x\n"
	for name, c := range map[string]struct{ certificate, chain, reason string }{
		"another key":          {root.sign(other["csr"].(string), plainCA, longDays), root.root, "ca_other_key"},
		"no CA":                {root.sign(csr, strings.Replace(plainCA, "CA:TRUE,pathlen:0", "CA:FALSE", 1), longDays), root.root, "not_a_ca"},
		"no cRLSign":           {root.sign(csr, strings.Replace(plainCA, ",cRLSign", "", 1), longDays), root.root, "ca_usages"},
		"no key identifier":    {root.sign(csr, unkeyed, longDays), root.root, "ca_key_id"},
		"no root":              {good, "", "ca_chain"},
		"another root":         {good, short.root, "ca_chain"},
		"a root without room":  {short.sign(csr, plainCA, longDays), short.root, "ca_path_length"},
		"for servers alone":    {root.sign(csr, plainCA+"extendedKeyUsage=serverAuth\n", longDays), root.root, "ca_client_auth"},
		"limits on people":     {root.sign(csr, people, longDays), root.root, "ca_constraints"},
		"the first CA's name":  {root.signNamed(csr, "Keyward Root CA"), root.root, "ca_subject_taken"},
		"a certificate as CSR": {csr, root.root, ""},
		"no PEM":               {"certificate", root.root, ""},
	} {
		status, out := w.call("POST", path+"/certificate", admin, m{"certificate": c.certificate, "chain": c.chain})
		if c.reason == "" {
			if status != 400 {
				t.Errorf("%s: %d %v", name, status, out)
			}
			continue
		}
		if wrong(t, out, "ca_rejected", c.reason); status != 422 {
			t.Errorf("%s: %d", name, status)
		}
	}
	all, _ := w.cas()
	if all[asked["id"].(string)]["state"] != "requested" {
		t.Error("something was installed")
	}
	w.must(200, "POST", path+"/certificate", admin, m{"certificate": good + root.root}) // all in one
	w.must(204, "DELETE", casPath+"/"+other["id"].(string), admin, nil)
	w.must(404, "DELETE", casPath+"/"+other["id"].(string), admin, nil)
	for name, body := range map[string]m{
		"a name that is used": {"parent": "self", "subject": "keyward root ca"}, "no such key": {"parent": "self", "key_type": "ed25519"},
		"no such parent": {"parent": "mother"}, "a long name": {"parent": "self", "subject": strings.Repeat("x", 65)},
	} {
		if status, out := w.call("POST", casPath, admin, body); status != 400 {
			t.Errorf("%s: %d %v", name, status, out)
		}
	}
}

// signNamed signs for a request's key with another subject.
func (o *office) signNamed(csr, name string) string {
	o.t.Helper()
	must.OK(o.t, os.WriteFile(o.file("asked.csr"), []byte(csr), 0o600))
	must.OK(o.t, os.WriteFile(o.file("asked.pub"), []byte(o.run(csr, "req", "-noout", "-pubkey")), 0o600))
	o.run("", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", o.file("x.key"), "-subj", "/CN="+name, "-out", o.file("x.csr"))
	must.OK(o.t, os.WriteFile(o.file("extensions"), []byte(plainCA), 0o600))
	o.run("", "x509", "-req", "-in", o.file("x.csr"), "-force_pubkey", o.file("asked.pub"), "-CA", o.file("root.pem"),
		"-CAkey", o.file("root.key"), "-CAcreateserial", "-out", o.file("ca.pem"), "-days", longDays, "-extfile", o.file("extensions"))
	return string(must.Get(os.ReadFile(o.file("ca.pem")))(o.t))
}

// TestPurposesOfProfiles: a CA that could not make the certificates of a slot's profile is neither installed
// nor activated.
func TestPurposesOfProfiles(t *testing.T) {
	t.Parallel()
	w, root := newFixture(t), newOffice(t)
	admin := w.tokens["admin"]
	asked := w.must(201, "POST", casPath, admin, m{"parent": "external"})
	path := casPath + "/" + asked["id"].(string)
	narrow := m{"certificate": root.sign(asked["csr"].(string), plainCA+"extendedKeyUsage=clientAuth\n", longDays), "chain": root.root}
	slots := func(authentication string) m {
		return m{"slots": m{"9a": authentication, "9c": "default", "9d": "default", "9e": "none"}, "plan": []string{"9a"}}
	}
	const settings = "/api/admin/settings/slot-profiles"
	w.must(200, "PUT", settings, admin, slots("logon"))
	wrong(t, w.must(422, "POST", path+"/certificate", admin, narrow), "ca_rejected", "ca_purposes")
	w.must(200, "PUT", settings, admin, slots("default"))
	w.must(200, "POST", path+"/certificate", admin, narrow)
	w.must(200, "PUT", settings, admin, slots("logon"))
	wrong(t, w.must(422, "POST", path+"/activate", admin, nil), "ca_rejected", "ca_purposes")
}

// TestNameConstraintsAreReady: readiness says before a key is made that the CA may not sign the name.
func TestNameConstraintsAreReady(t *testing.T) {
	t.Parallel()
	w, root := newFixture(t), newOffice(t)
	admin := w.tokens["admin"]
	asked := w.must(201, "POST", casPath, admin, m{"parent": "external"})
	path := casPath + "/" + asked["id"].(string)
	constrained := root.sign(asked["csr"].(string), plainCA+"nameConstraints=critical,permitted;email:elsewhere.example\n", longDays)
	w.must(200, "POST", path+"/certificate", admin, m{"certificate": constrained, "chain": root.root})
	w.must(200, "POST", path+"/activate", admin, nil)
	ready := w.must(200, "GET", "/api/hwkey/10000/signing-readiness?slot=9a", w.tokens["a-user"], nil)
	if ready["ready"] != false || fmt.Sprint(ready["reasons"]) != "[name_constraints]" {
		t.Errorf("%v", ready)
	}
}

// fetch gets a public file.
func (w *fixture) fetch(path string) []byte {
	w.t.Helper()
	res := must.Get(http.Get(w.base + path))(w.t)
	defer func() { _ = res.Body.Close() }()
	content := must.Get(io.ReadAll(res.Body))(w.t)
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %d %s", path, res.StatusCode, content)
	}
	return content
}
