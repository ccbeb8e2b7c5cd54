package arch

import "testing"

// layer is a layer of the tree. Imports only go down.
type layer int

const (
	leaf    layer = iota + 1 // depends on no other part of Keyward than leaves
	domain                   // the business logic; declares the interfaces that it needs
	adapter                  // an engine behind such an interface; depends on no other adapter
	edge                     // speaks to the outside; is passed its engines
	tryout                   // a test device in place of a real one; not part of the product
	testkit                  // conformance suites and other test support
	command                  // wires everything by hand
)

// layers assigns a layer to each package, including the packages below it unless they
// have their own line.
var layers = map[string]layer{
	"api": leaf,

	"internal/access":       leaf,
	"internal/agentkey":     leaf,
	"internal/archive":      leaf,
	"internal/commandline":  leaf,
	"internal/config":       leaf,
	"internal/logging":      leaf,
	"internal/durable":      leaf,
	"internal/fault":        leaf,
	"internal/hardening":    leaf,
	"internal/objstore":     leaf, // the port alone
	"internal/keypair":      leaf,
	"internal/loopback":     leaf,
	"internal/page":         leaf,
	"internal/password":     leaf,
	"internal/piv":          leaf,
	"internal/pki":          leaf,
	"internal/problem":      leaf,
	"internal/secret":       leaf,
	"internal/csvrows":      leaf,
	"internal/schematables": leaf,
	"internal/textinput":    leaf,
	"internal/tracing":      leaf,
	"internal/vault":        leaf, // the port alone

	"internal/audit":           domain,
	"internal/backup":          domain,
	"internal/ca":              domain,
	"internal/cert":            domain,
	"internal/custody":         domain,
	"internal/events":          domain,
	"internal/hwkey":           domain,
	"internal/license":         domain,
	"internal/licensepolicy":   domain,
	"internal/notify/mail":     domain,
	"internal/move":            domain,
	"internal/profile":         domain,
	"internal/notify":          domain,
	"internal/ocsp":            domain,
	"internal/account":         domain,
	"internal/rollback":        domain,
	"internal/intentlog":       domain,
	"internal/notify/reminder": domain,
	"internal/restore":         domain,
	"internal/report":          domain,
	"internal/session":         domain,
	"internal/settings":        domain,
	"internal/system":          domain,
	"internal/signon":          domain,
	"internal/webhook":         domain,

	"internal/webhook/outbound": adapter,

	"internal/certlint":         adapter,
	"internal/license/remote":   adapter,
	"internal/notify/mail/smtp": adapter,
	"internal/objstore/dir":     adapter,
	"internal/objstore/s3":      adapter,
	"internal/oidc":             adapter,
	"internal/audit/siem":       adapter,
	"internal/store":            adapter,
	"internal/vault/embedded":   adapter,
	"internal/vault/remote":     adapter,

	"internal/agent":      edge,
	"internal/client":     edge,
	"internal/middleware": edge,
	"internal/httpapi":    edge,
	"internal/web":        edge,

	"internal/license/server": edge,

	"internal/tryout": tryout,

	"internal/pki/attesttest":        testkit,
	"internal/license/licensetest":   testkit,
	"internal/objstore/objstoretest": testkit,
	"internal/store/storebench":      testkit,
	"internal/store/postgrestest":    testkit,
	"internal/store/sqlitetest":      testkit,
	"internal/store/storetest":       testkit,
	"internal/vault/vaulttest":       testkit,
	"test":                           testkit,

	"internal/app": command, // what cmd/keyward runs, in a form that a test can run, too
	"cmd":          command,
}

// place returns the table's line for a package: the longest that covers it.
func place(path string) (line string, storey layer, ok bool) {
	for candidate, l := range layers {
		if covers(candidate, path) && len(candidate) > len(line) {
			line, storey, ok = candidate, l, true
		}
	}
	return line, storey, ok
}

// objection returns why one package must not import the other, or "".
func objection(from, to string) string {
	fromLine, fromLayer, _ := place(from)
	toLine, toLayer, _ := place(to)
	switch {
	case fromLayer == testkit || fromLine == toLine:
		return "" // test support may use everything; a part may use itself
	case toLayer == testkit:
		return "test support has no place in the product"
	case toLayer == command && fromLayer != command:
		return "nothing imports a command"
	case fromLayer == tryout && toLayer != leaf:
		return "a device for trying knows nothing of what is tried on it"
	case toLayer > fromLayer:
		return "imports run one way: leaves, domain, adapters, edges, commands"
	case fromLayer == adapter && toLayer == adapter:
		return "adapters never import each other"
	case fromLayer == edge && toLayer == adapter:
		return "an edge gets its engines handed in; only commands choose them"
	case from == "internal/client" && toLayer != leaf:
		return "the command line's client holds no server code"
	}
	return ""
}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range deps(t, "", "./...") {
		if !p.own() {
			continue
		}
		if _, _, ok := place(p.path()); !ok {
			t.Errorf("%s: in no layer; give it a line in test/arch/layers_test.go", p.path())
			continue
		}
		for _, imported := range p.Imports {
			if !covers(module, imported) {
				continue
			}
			if why := objection(p.path(), inside(imported)); why != "" {
				t.Errorf("%s imports %s: %s", p.path(), inside(imported), why)
			}
		}
	}
}
