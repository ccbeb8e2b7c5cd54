package integrations_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/socketdir"
)

// kdc is an MIT KDC of the realm EXAMPLE.ORG, which knows jdoe and admin, without passwords, and takes
// certificates of Keyward's.
type kdc struct {
	*process.Process
	dir, address string
	env          []string // with it programs find the KDC's files, and clients the KDC
}

const clientConfig = `[libdefaults]
    default_realm = EXAMPLE.ORG
    dns_lookup_kdc = false
    dns_canonicalize_hostname = false
[realms]
    EXAMPLE.ORG = {
        kdc = ADDRESS:18088
        pkinit_anchors = FILE:DIR/kdc-ca.pem
        pkinit_anchors = FILE:DIR/ca.pem
        pkinit_identities = PKCS11:MODULE
    }
`

// A KDC has defaults but for its files and SETTINGS.
const kdcConfig = `[kdcdefaults]
    kdc_listen = ADDRESS:18088
    kdc_tcp_listen = ADDRESS:18088
[realms]
    EXAMPLE.ORG = {
        database_name = DIR/principals
        key_stash_file = DIR/stash
        acl_file = DIR/acl
        SETTINGS
        pkinit_identity = FILE:DIR/kdc.pem,DIR/kdc.key
        pkinit_anchors = FILE:DIR/ca.pem
        pkinit_revoke = FILE:DIR/crl.pem
        pkinit_require_crl_checking = true
    }
[logging]
    kdc = STDERR
`

// What a KDC's certificate needs (RFC 4556, 3.2.4), in openssl's words.
const kdcExtensions = `[kdc]
keyUsage = digitalSignature
extendedKeyUsage = 1.3.6.1.5.2.3.5
subjectAltName = otherName:1.3.6.1.5.2.2;SEQUENCE:name
[name]
realm = EXP:0, GeneralString:EXAMPLE.ORG
principal = EXP:1, SEQUENCE:principal
[principal]
type = EXP:0, INTEGER:2
strings = EXP:1, SEQUENCE:strings
[strings]
first = GeneralString:krbtgt
second = GeneralString:EXAMPLE.ORG
`

func newKDC(t *testing.T, k *keyward, settings string) *kdc {
	t.Helper()
	c := &kdc{dir: socketdir.New(t), address: host.Address()}
	c.env = environ(c.dir, "KRB5_CONFIG="+c.file("krb5.conf"), "KRB5_KDC_PROFILE="+c.file("kdc.conf"))
	for name, text := range map[string]string{"krb5.conf": clientConfig, "kdc.conf": kdcConfig, "kdc.ext": kdcExtensions} {
		text = strings.NewReplacer("ADDRESS", c.address, "DIR", c.dir, "MODULE", module(t), "SETTINGS", settings).Replace(text)
		must.OK(t, os.WriteFile(c.file(name), []byte(text), 0o600))
	}
	must.OK(t, place(k.fetch(t, "/api/pki/ca"), c.file("ca.pem")))
	c.certify(t)
	run(t, c.env, "", "kdb5_util", "create", "-s", "-P", "a master key that nobody needs")
	for _, principal := range []string{"jdoe", "admin"} {
		c.admin(t, "addprinc", "-nokey", "+requires_preauth", principal)
	}
	c.renew(t, k)
	return c
}

func (c *kdc) file(name string) string { return filepath.Join(c.dir, name) }

// admin is a command of the KDC's administrator.
func (c *kdc) admin(t *testing.T, command ...string) {
	t.Helper()
	run(t, c.env, "", "kadmin.local", command...)
}

// certify gives the KDC a certificate of a CA of its own.
func (c *kdc) certify(t *testing.T) {
	t.Helper()
	request := func(name string, more ...string) {
		t.Helper()
		openssl(t, slices.Concat([]string{"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
			"-subj", "/CN=" + name, "-keyout", c.file(name + ".key")}, more)...)
	}
	request("kdc-ca", "-x509", "-out", c.file("kdc-ca.pem"))
	request("kdc", "-new", "-out", c.file("kdc.csr"))
	openssl(t, "x509", "-req", "-in", c.file("kdc.csr"), "-CA", c.file("kdc-ca.pem"), "-CAkey", c.file("kdc-ca.key"), "-CAcreateserial",
		"-extfile", c.file("kdc.ext"), "-extensions", "kdc", "-out", c.file("kdc.pem"))
}

// renew has the KDC read Keyward's list, which it does at its start alone.
func (c *kdc) renew(t *testing.T, k *keyward) {
	t.Helper()
	must.OK(t, place(k.crl(t), c.file("crl.pem")))
	if c.Process != nil {
		c.Stop(t)
	}
	c.Process = start(t, c.env, "krb5kdc", "-n")
	c.Announces(t, "commencing operation", "\n")
}

// kinit signs in with what is on a token; klist says whose ticket came out.
func (c *kdc) kinit(t *testing.T, tok *token, principal string) (text string, ok bool) {
	t.Helper()
	env := append(tok.env, "KRB5_CONFIG="+c.file("krb5.conf"), "KRB5CCNAME=FILE:"+filepath.Join(tok.dir, "tickets"))
	if text, ok = try(t, env, pin+"\n", "kinit", principal); !ok {
		return text, false
	}
	return run(t, env, "", "klist"), true
}
