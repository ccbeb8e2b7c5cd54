package vaultpart_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/test/must"
)

// writers are the functions that write documents to a vault, each with an example of every path.
var writers = map[string]map[string]vaultpart.Class{
	"custody.createAfter":          {"12345678/secrets": vaultpart.Secrets},
	"custody.Move":                 {"abcd/secrets": vaultpart.Secrets},
	"intentlog.write":              {"12345678/releases": vaultpart.Releases, "_releases/2026-11-23T01/abcdefghij_1": vaultpart.Releases},
	"intentlog.closePage":          {"12345678/releases/1": vaultpart.Releases},
	"intentlog.addLost":            {"12345678/releases/lost": vaultpart.Releases},
	"intentlog.put":                issuancePaths,
	"chain.makeKey":                {"audit_seal/key": vaultpart.Own},
	"chain.ImportVerificationKeys": {"audit_seal/closed": vaultpart.Audit},
	"chain.writeHead":              {"audit_seal/head": vaultpart.Own},
	"webhook.create":               {"webhook_secrets/abcdefghijklmnopqrstuvwxyz": vaultpart.Configuration},
	"profile.write": {
		"certificate_profiles/custom": vaultpart.Configuration, "certificate_profiles/organization_7": vaultpart.Configuration,
	},
	"ca.change":              {"certificate_authorities/history": vaultpart.Configuration},
	"remote.remember":        {"certificate_authorities/0123456789abcdef": vaultpart.Own},
	"remote.rolesItem":       {"certificate_profiles/roles": vaultpart.Own},
	"app.numberOf":           {"_keyward/installation": vaultpart.Installation},
	"session.put":            {"_keyward/jwt": vaultpart.Own},
	"rollback.changeRecord":  {"_keyward/recovery": vaultpart.Own},
	"license.InstallationID": {"license/installation": vaultpart.License},
	"license.put":            {"license/record": vaultpart.License},
	"move.prepareVault":      {"_keyward/move": vaultpart.Own},
	"backup.makeLinkKey":     {"backup_settings/link_key": vaultpart.Own},
	"account.key":            {"_keyward/invitations": vaultpart.Own},
	"settings.Put": {
		"oidc_settings/client_secret": vaultpart.Configuration, "mail_settings/password": vaultpart.Configuration,
		"backup_settings/secret_access_key": vaultpart.Own, "backup_settings/encryption_password": vaultpart.Own,
	},
	"move.moveDocument": nil, // the old vault's documents
	"vault.Put":         nil, // Guarded: on behalf of others
	"vaultpart.write":   nil, // a backup's
	"vaultpart.create":  nil,
}

var issuancePaths = map[string]vaultpart.Class{
	"_issuances/open/1763859600000000_abcdefghij":                       vaultpart.Issuances,
	"_issuances/settled/2026-11-23/1763859600000000_abcdefghij":         vaultpart.Issuances,
	"_issuances/kept/2027-11-23_2026-11-23_1763859600000000_abcdefghij": vaultpart.Issuances,
	"_issuances/unrecorded/1763859600000000_abcdefghij_000":             vaultpart.Issuances,
}

// TestEveryPathHasItsClass: every function that writes documents must declare here
// what a backup does with them.
func TestEveryPathHasItsClass(t *testing.T) {
	t.Parallel()
	found := writing(t)
	for writer, paths := range writers {
		if !slices.Contains(found, writer) {
			t.Errorf("%s writes nothing", writer)
		}
		for path, want := range paths {
			if got := vaultpart.ClassOf(path); got != want {
				t.Errorf("%s is of the class %s, want %s", path, got, want)
			}
		}
	}
	for _, writer := range found {
		if _, ok := writers[writer]; !ok {
			t.Errorf("%s writes documents of which nobody says whether a backup takes them: give its paths a class in paths.go, and a line here",
				writer)
		}
	}
	for path, want := range map[string]vaultpart.Class{
		"12345678/other": vaultpart.Other, "secrets": vaultpart.Other, "a_b/secrets": vaultpart.Other, "12345678/secrets/x": vaultpart.Other,
		"_pki/ca": vaultpart.CA, "_pki/revocations/000001": vaultpart.CA, "backup_settings/storage": vaultpart.Own,
	} {
		if got := vaultpart.ClassOf(path); got != want {
			t.Errorf("%s is of the class %s, want %s", path, got, want)
		}
	}
}

// writing returns the functions below internal that call a vault's Put: the Put with
// a version as its fourth argument.
func writing(t *testing.T) (names []string) {
	root := filepath.Join("..", "..")
	must.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), ".Put(") || strings.Contains(path, "vaulttest") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 4 {
					return true
				}
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Put" {
					names = append(names, file.Name.Name+"."+function.Name.Name)
				}
				return true
			})
		}
		return nil
	}))
	slices.Sort(names)
	return slices.Compact(names)
}
