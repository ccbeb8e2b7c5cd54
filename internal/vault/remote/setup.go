package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// Preparation is what setup makes of a vault, beside what Options say. The token of the Options is
// an operator's, which may mount engines.
type Preparation struct {
	CAKeyType    piv.KeyType // of a CA that is made; empty: rsa-3072
	CACommonName string      // empty: "Keyward Root CA"
	// Profiles returns the certificate profiles beside the specification's role, from the KV engine,
	// which may not be there yet. Nil: there are none.
	Profiles    func(context.Context, vault.KV) ([]ProfileRole, error)
	Credentials Credentials // empty: no secret id is made
	// ImportCAs are CAs with their private keys, PEM, that the vault imports; it signs with the active one
	// from then on. Empty: it makes one unless there is one.
	ImportCAs []vault.ExportedCA
	// Ours reports which documents of the KV mount are Keyward's, by path. Nil: others are not
	// looked for.
	Ours func(path string) bool
	// SharedMount leaves the settings of a KV mount that others use as they are,
	// instead of refusing it.
	SharedMount bool
}

// Item is one thing that Keyward needs of a vault.
type Item struct {
	Name     string
	Lacks    []string // what is wrong; none: nothing
	Hopeless error    // why setup cannot fix it; Lacks says what
	Left     []string // what is wrong and stays so, since others use it too
	apply    func(context.Context) error
}

// Apply makes the item as it should be.
func (i Item) Apply(ctx context.Context) error {
	if len(i.Lacks) == 0 {
		return nil
	}
	if i.Hopeless != nil {
		return i.Hopeless
	}
	return i.apply(ctx)
}

// Setup prepares a vault for Keyward: mounts, CA, role, policy and AppRole.
type Setup struct {
	engine   *Engine
	want     Preparation
	profiles []ProfileRole
}

// NewSetup makes a Setup, which the caller closes.
func NewSetup(ctx context.Context, o Options, p Preparation) (*Setup, error) {
	e, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	p.CAKeyType = cmp.Or(p.CAKeyType, piv.RSA3072)
	p.CACommonName = cmp.Or(p.CACommonName, "Keyward Root CA")
	return &Setup{engine: e, want: p}, nil
}

// Close releases the connections.
func (s *Setup) Close() error { return s.engine.Close() }

// Examine checks everything and changes nothing. Applying the items in order makes the vault ready;
// examining again shows what is still lacking.
func (s *Setup) Examine(ctx context.Context) ([]Item, error) {
	mount, err := s.mounted(s.kvMount())(ctx)
	if err != nil {
		return nil, err
	}
	items := []Item{mount}
	looks := []look{
		one(s.kvConfig), one(s.mounted(s.pkiMount())), one(s.othersAuthority), s.cas, s.issuerItems, one(s.mainItem),
		one(s.settingsOf(s.urlSettings())), one(s.settingsOf(s.crlSettings())), one(s.settingsOf(s.roleSettings())),
		one(s.settingsOf(s.responderSettings())),
	}
	if s.want.Profiles != nil {
		var kv vault.KV = s.engine
		if len(mount.Lacks) > 0 {
			kv = unmounted{}
		}
		if s.profiles, err = s.want.Profiles(ctx, kv); err != nil {
			return nil, err
		}
		for _, p := range s.profiles {
			looks = append(looks, one(s.settingsOf(s.profileSettings(p))))
		}
		looks = append(looks, one(s.rolesItem(kv)))
	}
	for _, look := range append(looks, one(s.policy), one(s.mounted(s.appRoleMount())), one(s.appRole), one(s.credentials)) {
		found, err := look(ctx)
		if err != nil {
			return nil, err
		}
		items = append(items, found...)
	}
	return slices.DeleteFunc(items, func(i Item) bool { return i.Name == "" }), nil
}

// look examines some things.
type look func(context.Context) ([]Item, error)

func one(f func(context.Context) (Item, error)) look {
	return func(ctx context.Context) ([]Item, error) {
		item, err := f(ctx)
		return []Item{item}, err
	}
}

// unmounted is a KV engine that is yet to be mounted.
type unmounted struct{ vault.KV }

func (unmounted) Get(context.Context, string) (vault.Version, error) {
	return vault.Version{}, vault.ErrNotFound
}

func keyType(t piv.KeyType) (kind string, bits int) {
	switch t {
	case piv.RSA2048:
		return "rsa", 2048
	case piv.RSA4096:
		return "rsa", 4096
	case piv.ECP256:
		return "ec", 256
	case piv.ECP384:
		return "ec", 384
	}
	return "rsa", 3072
}

func (s *Setup) policy(ctx context.Context) (Item, error) {
	name := s.engine.opts.Mounts.Role
	item := Item{Name: "policy " + name}
	want := Policy(s.engine.opts.Mounts, s.profiles...)
	a, err := s.engine.do(ctx, call{method: http.MethodGet, path: "sys/policies/acl/" + name})
	if err != nil && !absent(err) {
		return item, err
	}
	var said struct {
		Policy string `json:"policy"`
	}
	if err == nil {
		if err := a.decode(&said); err != nil {
			return item, err
		}
	}
	switch {
	case said.Policy == "":
		item.Lacks = []string{"does not exist"}
	case strings.TrimSpace(said.Policy) != strings.TrimSpace(want):
		item.Lacks = []string{"has another text"}
		if m := s.engine.opts.Mounts; !ofMount(said.Policy, m) {
			item.Lacks, item.Hopeless = []string{"is not for the mount " + m.KV}, m.otherRole()
		}
	}
	item.apply = s.post("sys/policies/acl/"+name, map[string]string{"policy": want})
	return item, nil
}

// Policy is all that Keyward's token may do, in Vault's language.
func Policy(m Mounts, profiles ...ProfileRole) string {
	m = m.named()
	var b strings.Builder
	allow := func(path, capabilities string) {
		fmt.Fprintf(&b, "path %q { capabilities = [%s] }\n", path, capabilities)
	}
	allow(m.KV+"/data/*", `"create", "read", "update"`)
	allow(m.KV+"/metadata/*", `"read", "list"`)
	for _, transient := range []string{"_issuances", "_releases", "webhook_secrets", requestedPath} { // nothing else is ever removed
		allow(m.KV+"/metadata/"+transient+"/*", `"read", "list", "delete"`)
	}
	allow(m.KV+"/metadata", `"list"`)
	allow(m.PKI+"/sign/"+m.Role, `"update"`)
	for _, p := range profiles { // by name: a pattern would take in the OCSP signer's role
		allow(m.PKI+"/sign/"+m.profileRole(p.Usage.Profile, p.KeyType.Algorithm()), `"update"`)
	}
	// No other parameters: not_after would outlast the role's max_ttl.
	for _, path := range []string{"/sign-verbatim/", "/issuer/+/sign-verbatim/"} { // by the active CA, or by another one
		fmt.Fprintf(&b, `path %q {
  capabilities       = ["update"]
  allowed_parameters = { "csr" = [], "key_usage" = [], "ext_key_usage" = [] }
}
`, m.PKI+path+m.responderRole())
	}
	caPolicy(&b, m)
	allow(m.PKI+"/revoke", `"update"`)
	allow(m.PKI+"/crl/rotate", `"read"`)
	allow(m.PKI+"/certs", `"list"`)
	allow(m.PKI+"/cert/*", `"read"`)
	allow("auth/token/lookup-self", `"read"`)
	allow("auth/token/renew-self", `"update"`)
	return b.String()
}

// upgradePause is how long to wait before asking a new mount again.
const upgradePause = 50 * time.Millisecond

// post sends a body; it waits for a mount that is just being made ready.
func (s *Setup) post(path string, body any) func(context.Context) error {
	return s.sender(http.MethodPost, path, body)
}

func (s *Setup) sender(method, path string, body any) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			_, err := s.engine.do(ctx, call{method: method, path: path, body: body})
			if r, ok := errors.AsType[*refusal](err); !ok || !r.says("Upgrading from non-versioned") {
				return err
			}
			select {
			case <-time.After(upgradePause):
			case <-ctx.Done():
				return err
			}
		}
	}
}

// absent reports whether the vault says that something does not exist: no such path or mount, or no
// CA in the mount. Any other refusal proves nothing.
func absent(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && (r.status == http.StatusNotFound || r.says("no default issuer currently configured") ||
		r.says("unable to resolve issuer"))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%ds", int64(d/time.Second)) }
