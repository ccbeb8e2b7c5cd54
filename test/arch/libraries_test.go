package arch

import (
	"slices"
	"testing"
)

// homes names the only packages that may import a library, so that it can be replaced
// in one place.
var homes = map[string][]string{
	"database/sql":                  {"internal/store", "test/engine"},
	"modernc.org/sqlite":            {"internal/store"},
	"github.com/jackc/pgx":          {"internal/store"},
	"github.com/pressly/goose":      {"internal/store"},
	"github.com/openbao/openbao":    {"internal/vault/remote"},
	"go.etcd.io/bbolt":              {"internal/vault/embedded"},
	"github.com/aws":                {"internal/objstore/s3", "test/s3server"},
	"github.com/coreos/go-oidc":     {"internal/oidc"},
	"github.com/coreos/go-systemd":  {"cmd/keyward"},
	"github.com/spf13":              {"internal/commandline", "cmd"},
	"github.com/KimMachineGun":      {"cmd/keyward"},
	"golang.org/x/oauth2":           {"internal/oidc"},
	"github.com/wneessen/go-mail":   {"internal/notify/mail"},
	"github.com/danielgtaylor/huma": {"internal/middleware", "internal/httpapi", "internal/agent", "internal/license/server"},
	"github.com/go-json-experiment": {"internal/archive", "internal/middleware", "internal/client", "internal/license", "internal/vault"},
	"github.com/klauspost":          {"internal/archive"},
	"github.com/zmap":               {"internal/certlint"},
	"github.com/sony/gobreaker":     {"internal/license/remote"},
	"github.com/youmark/pkcs8":      {"internal/license/signer"},
	"github.com/spf13/cobra/doc":    {}, // make man alone, which has a build tag
	"github.com/ebitengine/purego":  {"internal/agent"},
	"github.com/hashicorp/vault":    {}, // licensed differently: a test tool only
	"testing": {"internal/pki/attesttest", "internal/license/licensetest", "internal/objstore/objstoretest",
		"internal/store/postgrestest",
		"internal/store/sqlitetest", "internal/store/storetest",
		"internal/vault/vaulttest", "test"},
	"github.com/google/go-cmp": {"internal/license/licensetest", "internal/objstore/objstoretest", "internal/store/storetest",
		"internal/vault/vaulttest", "test"},
	"pgregory.net/rapid":                {"internal/store/storetest", "internal/vault/vaulttest", "test"},
	"github.com/rogpeppe/go-internal":   {"test"},
	module + "/internal/tryout":         {"internal/tryout", "cmd/keyward-vtoken", "test"},
	module + "/internal/license/signer": {"cmd/keyward-licensetool", "test"},
	module + "/internal/vault/remote":   {"internal/vault/remote", "internal/app", "test"},
	module + "/internal/objstore/dir":   {"internal/app", "test"},
	module + "/internal/objstore/s3":    {"internal/app", "test"},
	module + "/internal/vault/embedded": {"internal/vault/embedded", "internal/app", "test"},
}

// stray returns the library that a package imports though it is not one of the
// library's homes.
func stray(from, imported string) (library string, found bool) {
	for library, packages := range homes {
		if covers(library, imported) && !slices.ContainsFunc(packages, func(home string) bool { return covers(home, from) }) {
			return library, true
		}
	}
	return "", false
}

func TestLibrariesStayAtHome(t *testing.T) {
	t.Parallel()
	for _, p := range deps(t, "", "./...") {
		if !p.own() {
			continue
		}
		for _, imported := range p.Imports {
			if library, found := stray(p.path(), imported); found {
				t.Errorf("%s imports %s: only %q may import %s", p.path(), imported, homes[library], library)
			}
		}
	}
}

// absent lists what a program must not contain, directly or indirectly. The agent runs
// on every workstation and briefly holds decrypted secrets, so it is kept small.
// Entries are prefixes of import paths; Keyward's start with "internal".
var absent = map[string][]string{
	"./cmd/keyward-agent": {
		"database/sql", "modernc.org", "github.com/jackc", "github.com/pressly/goose", "go.etcd.io/bbolt",
		"github.com/openbao", "github.com/hashicorp", "github.com/aws", "github.com/coreos/go-oidc",
		"internal/store", "internal/vault", "internal/objstore", "internal/httpapi", "internal/web",
		"internal/oidc", "internal/notify", "internal/pki", "internal/backup", "internal/license", "internal/custody",
		"internal/account", "internal/session", "internal/settings", "internal/restore", "internal/rollback", "internal/intentlog",
		"internal/tryout", "testing",
	},
	"./cmd/keyward": {
		"internal/agent", "internal/tryout", "testing", "github.com/hashicorp/vault", "internal/license/signer", "github.com/youmark/pkcs8",
	},
	"./cmd/keyward-licensetool": {
		"internal/store", "internal/vault/embedded", "internal/vault/remote", "internal/httpapi", "internal/web",
		"internal/agent", "net/http", "testing",
	},
	"./cmd/keyward-vtoken": {
		"internal/store", "internal/vault", "internal/objstore", "internal/httpapi", "internal/web", "internal/agent", "testing",
	},
}

func TestProgramsStayFree(t *testing.T) {
	t.Parallel()
	for program, prefixes := range absent {
		platforms := []string{"linux/amd64"}
		if program == "./cmd/keyward-agent" {
			platforms = append(platforms, "darwin/arm64", "windows/amd64")
		}
		for _, platform := range platforms {
			t.Run(program+" "+platform, func(t *testing.T) {
				t.Parallel()
				for _, p := range deps(t, platform, program) {
					for _, prefix := range prefixes {
						if covers(prefix, p.path()) {
							t.Errorf("it contains %s", p.ImportPath)
						}
					}
				}
			})
		}
	}
}
