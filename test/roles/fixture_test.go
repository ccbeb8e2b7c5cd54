package roles

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base32"
	"encoding/pem"
	"fmt"
	"log/slog"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/pki/attesttest"
	"github.com/keyward/keyward/test/server"
)

const password = server.Password

type fields = server.Fields

var number = server.Number

// person is somebody in the fixture, or an API key: then only the token and its
// permissions matter.
type person struct {
	name     string // also the marker: no response may show it to those who may not see the person
	role     role
	org      string // "a", "b" or none
	key      bool
	id       int
	token    string
	session  int
	serial   string // of the person's token
	cert     string // of the certificate on it
	rotating string // serial of another token, with an open rotation
	notice   int    // id of a notice
	view     string // id of a view
	paired   string // id of the agent
	apiKey   string // id of a key of the same role and organization
	hook     hook   // a webhook of the person's organization
}

// fixture is a running server with two organizations and people in all roles,
// each with a token, a certificate on it, and a session with an agent.
type fixture struct {
	server.Client
	data, base string
	people     []*person // in order of creation; the first, a global admin, builds the fixture
	orgs       map[string]int
	serials    int
	rsa        *rsa.PrivateKey // signs every CSR
	agentKey   *rsa.PrivateKey
	agent      string    // PEM of every agent
	otherAgent string    // PEM of one that nobody has
	keys       []*person // API keys
	maker      *attesttest.Maker
	signedCA   string // the certificate for the CA that was requested last, with the root: PEM
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, nil, slog.DiscardHandler)
}

// newFixtureWith is newFixture with more settings and a log.
func newFixtureWith(t *testing.T, more server.Settings, log slog.Handler) *fixture {
	t.Helper()
	c := &fixture{data: t.TempDir(), orgs: map[string]int{}, serials: 70000, maker: attesttest.NewMaker(t)}
	settings := server.Settings{"PKI_ATTESTATION_ROOTS_FILE": c.maker.RootFile(t)}
	maps.Copy(settings, more)
	c.base, _ = server.Run(t, c.data, settings, log)
	c.Client = server.NewClient(t, c.base)
	k, err := keys()
	if err != nil {
		t.Fatal(err)
	}
	c.rsa, c.agentKey = k.rsa, k.agent
	c.agent = publicPEM(t, &c.agentKey.PublicKey)
	c.otherAgent = publicPEM(t, &rsa.PublicKey{N: new(big.Int).Add(c.agentKey.N, big.NewInt(2)), E: c.agentKey.E})
	root := &person{name: "admin", role: globalAdmin}
	c.people = []*person{root}
	c.signIn(t, root)
	root.paired = c.agentID(t, root, c.agent)
	for _, org := range []string{"a", "b"} {
		c.orgs[org] = number(c.Must(t, "POST", "/api/admin/organizations", root.token, fields{"name": "qz-organization-" + org})["id"])
	}
	for _, p := range []*person{
		{name: "qz-chief", role: globalAdmin}, {name: "qz-a-manager", role: orgManager, org: "a"},
		{name: "qz-a-user", role: user, org: "a"}, {name: "qz-a-other", role: user, org: "a"},
		{name: "qz-b-manager", role: orgManager, org: "b"}, {name: "qz-b-user", role: user, org: "b"},
	} {
		c.settle(t, p)
	}
	c.newHooks(t)
	c.Must(t, "POST", "/api/admin/users", root.token, fields{"username": "visitor", "email": "visitor@example.org", "password": password})
	for _, key := range []*person{
		{name: "qk-chief", role: globalAdmin}, {name: "qk-a-manager", role: orgManager, org: "a"},
		{name: "qk-a-user", role: user, org: "a"},
	} {
		_, key.token = c.newKey(t, key)
		key.key = true
		c.keys = append(c.keys, key)
	}
	return c
}

// newKey creates an API key of that role and organization.
func (c *fixture) newKey(t *testing.T, p *person) (id, token string) {
	t.Helper()
	body := fields{"name": p.name, "role": p.role}
	if p.org != "" {
		body["organization_id"] = c.orgs[p.org]
	}
	out := c.Must(t, "POST", "/api/admin/api-keys", c.root().token, body)
	return fmt.Sprint(number(out["id"])), out["key"].(string)
}

// root builds the fixture and is not an actor in the matrix.
func (c *fixture) root() *person { return c.people[0] }

func (c *fixture) person(name string) *person {
	for _, p := range slices.Concat(c.people, c.keys) {
		if p.name == name {
			return p
		}
	}
	panic("nobody is called " + name)
}

// settle creates an account with everything that a person has.
func (c *fixture) settle(t *testing.T, p *person) {
	t.Helper()
	body := fields{"username": p.name, "email": p.name + "@example.org", "password": password, "role": p.role}
	if p.org != "" {
		body["organization_id"] = c.orgs[p.org]
	}
	p.id = number(c.Must(t, "POST", "/api/admin/users", c.root().token, body)["id"])
	c.people = append(c.people, p)
	c.signIn(t, p)
	p.serial = c.newToken(t, p)
	p.cert = c.newCertificate(t, p.serial, p)
	p.rotating = c.newRotation(t, p)["serial"]
	p.apiKey, _ = c.newKey(t, p)
	c.registerAgent(t, p, c.otherAgent) // which notifies the person
	c.registerAgent(t, p, c.agent)
	p.paired = c.agentID(t, p, c.agent)
	notices := c.Must(t, "GET", "/api/notices", p.token, nil)["items"].([]any)
	p.notice = number(notices[0].(map[string]any)["id"])
	p.view = c.newView(t, p)
}

func (c *fixture) newView(t *testing.T, p *person) string {
	t.Helper()
	v := c.Must(t, "POST", "/api/views", p.token, fields{"list": "certificates", "name": fresh("view"), "query": "show=30"})
	return v["id"].(string)
}

func (c *fixture) signIn(t *testing.T, p *person) {
	t.Helper()
	p.token, p.session = c.SignIn(t, p.name, password)
	c.registerAgent(t, p, c.agent)
}

func (c *fixture) registerAgent(t *testing.T, p *person, key string) {
	t.Helper()
	c.registerAt(t, p.session, p.token, key)
}

// registerAt confirms each agent's code.
func (c *fixture) registerAt(t *testing.T, session int, token, key string) {
	t.Helper()
	c.Must(t, "POST", fmt.Sprint("/api/session/", session, "/register-agent"), token, fields{"public_key": key, "confirmed_code": codeOf(key)})
}

// fingerprintOf is the hex SHA-256 of a key's SubjectPublicKeyInfo.
func fingerprintOf(key string) string {
	block, _ := pem.Decode([]byte(key))
	return fmt.Sprintf("%x", sha256.Sum256(block.Bytes))
}

// codeOf is the code of an agent that only has its key (contract §11, "Identity").
func codeOf(key string) string {
	block, _ := pem.Decode([]byte(key))
	sum := sha256.Sum256(block.Bytes)
	code := base32.StdEncoding.EncodeToString(sum[:])[:16]
	return strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-")
}

// agentID returns the number of a person's agent with that key.
func (c *fixture) agentID(t *testing.T, p *person, key string) string {
	t.Helper()
	for _, item := range c.Must(t, "GET", "/api/auth/agents", p.token, nil)["items"].([]any) {
		if a := item.(map[string]any); a["fingerprint"] == fingerprintOf(key) {
			return fmt.Sprint(number(a["id"]))
		}
	}
	t.Fatalf("%s has no such agent", p.name)
	return ""
}

// newAgent pairs another agent of a person, in a separate session.
func (c *fixture) newAgent(t *testing.T, p *person) (id string) {
	t.Helper()
	c.serials++
	key := publicPEM(t, &rsa.PublicKey{N: new(big.Int).Add(c.agentKey.N, big.NewInt(int64(2*c.serials))), E: c.agentKey.E})
	token, session := c.SignIn(t, p.name, password)
	c.registerAt(t, session, token, key)
	return c.agentID(t, p, key)
}

// newToken gives a person another token, which carries the person's marker.
func (c *fixture) newToken(t *testing.T, owner *person) (serial string) {
	t.Helper()
	c.serials++
	serial = fmt.Sprint(c.serials)
	c.Must(t, "POST", "/api/hwkey", c.root().token, fields{"serial": serial, "label": owner.name, "owner_id": owner.id})
	return serial
}

// newCertificate issues one for a token of that owner.
func (c *fixture) newCertificate(t *testing.T, serial string, owner *person) (serialNumber string) {
	t.Helper()
	return c.Must(t, "POST", "/api/hwkey/"+serial+"/sign-csr", c.root().token, c.signing(t, serial, owner))["serial_number"].(string)
}

// signing is the request for a certificate with an attested key.
func (c *fixture) signing(t *testing.T, serial string, owner *person) fields {
	t.Helper()
	return fields{"csr": c.csr(t, owner), "attestation": c.maker.Attest(t, attesttest.Key{Public: c.rsa.Public(), Serial: serial, Slot: "9a"})}
}

func (c *fixture) csr(t *testing.T, owner *person) string {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: owner.name}}, c.rsa)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// newRotation opens a rotation on a new token of that owner, and returns its PINs, too.
func (c *fixture) newRotation(t *testing.T, owner *person) (params map[string]string) {
	t.Helper()
	serial := c.newToken(t, owner)
	out := c.Must(t, "POST", "/api/hwkey/"+serial+"/rotations", c.root().token, fields{"fields": []string{"pin"}, "reason": "test"})
	params = map[string]string{"serial": serial, "id": fmt.Sprint(number(out["id"]))}
	for _, which := range []string{"current", "next"} {
		var err error
		if params[which], err = c.unseal(serial, field(out, which+".pin")); err != nil {
			t.Fatal(err)
		}
	}
	return params
}

// keys are shared by all cities: no test sees another's, and generating them took
// longer than everything else in a fixture.
var keys = sync.OnceValues(func() (k struct{ rsa, agent *rsa.PrivateKey }, err error) {
	if k.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return k, err
	}
	k.agent, err = rsa.GenerateKey(rand.Reader, 4096)
	return k, err
})

func publicPEM(t *testing.T, key *rsa.PublicKey) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}
