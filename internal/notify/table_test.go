package notify_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/test/must"
)

// silent lists the audit actions that notify nobody, with the reason.
var silent = map[string]string{
	"auth.login":              "the person's own deed; an agent or lockout is told of",
	"auth.logout":             "the person's own deed",
	"auth.refresh":            "the person's own browser, every few minutes",
	"auth.refresh_reuse":      "mostly a page that was open twice; it ends the sessions, which is seen at once",
	"auth.password_rehashed":  "the same password, kept better",
	"auth.reauthenticated":    "the person's own deed",
	"session.created":         "the person's own deed",
	"session.ended":           "the person is signed out, and sees it",
	"session.agent_removed":   "takes a way in away; the page shows the agents",
	"permission.denied":       "nothing happened",
	"hwkey.updated":           "label, model or place of a token: nothing of its security",
	"hwkey.secrets_observed":  "what a card was seen to hold: nothing changed on it",
	"hwkey.rotation_started":  "told when it is committed",
	"hwkey.rotation_aborted":  "the card is as it was",
	"certificate.installed":   "told when it is issued; what it supersedes is the renewed one",
	"system.key_renewed":      "changes nothing for people; the audit log has it",
	"system.recovered":        "what led to it was told: stores_disagree",
	"user.disabled":           "who cannot sign in gets no mail either",
	"user.unlocked":           "told when it was locked; the person asked for it",
	"organization.created":    "the deed of global administrators, of no person",
	"organization.updated":    "the deed of global administrators, of no person",
	"organization.disabled":   "nobody of it can sign in, and sees it",
	"organization.enabled":    "of no person",
	"api_key.created":         "the deed of administrators; the audit log has it",
	"api_key.revoked":         "the deed of administrators; the audit log has it",
	"profile.created":         "the deed of global administrators; the audit log has it",
	"profile.changed":         "the deed of global administrators; the audit log has it",
	"profile.deleted":         "the deed of global administrators; the audit log has it",
	"slot_profiles.changed":   "the deed of global administrators; the audit log has it",
	"webhook.created":         "the deed of administrators; the audit log has it",
	"webhook.updated":         "the deed of administrators; the audit log has it",
	"webhook.deleted":         "the deed of administrators; the audit log has it",
	"webhook.replayed":        "the deed of administrators; the audit log has it",
	"webhook.secret_rotated":  "the deed of administrators; the audit log has it",
	"mail.retried":            "the deed of administrators; the audit log has it",
	"audit.exported":          "the deed of administrators; the audit log has it",
	"license.uploaded":        "the deed of administrators; the license's end is told of by the leader",
	"license.rejected":        "nothing happened",
	"license.removed":         "the deed of administrators; the license's end is told of by the leader",
	"backup.completed":        "all is well",
	"backup.deleted":          "as planned",
	"backup.downloaded":       "the deed of administrators; the audit log has it",
	"backup.link_created":     "the deed of administrators; the audit log has it",
	"backup.drill_completed":  "all is well",
	"backup.cancel_requested": "the deed of administrators",
	"restore.applied":         "the deed of administrators, on their screen",
	"restore.completed":       "the deed of administrators, on their screen",
}

// TestEveryAction: each audit action has its recipients, or a reason for none.
func TestEveryAction(t *testing.T) {
	t.Parallel()
	tells := map[string]bool{}
	for _, row := range notify.Table {
		for _, action := range row.Actions {
			tells[action] = true
		}
	}
	actions := constants(t, "../audit", "Action")
	if len(actions) < 60 {
		t.Fatalf("only %d audit actions were found", len(actions))
	}
	for _, action := range actions {
		switch _, quiet := silent[action]; {
		case tells[action] && quiet:
			t.Errorf("%s is told of, and stands among those that are not", action)
		case !tells[action] && !quiet:
			t.Errorf("of %s it is not decided whom it is told: add it to a row of the table, or say here why nobody", action)
		}
	}
	for _, list := range []map[string]bool{tells, keys(silent)} {
		for action := range list {
			if !slices.Contains(actions, action) {
				t.Errorf("%s is no audit action", action)
			}
		}
	}
}

func keys(m map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// TestEveryKind: each kind has one row.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	var have []string
	for _, row := range notify.Table {
		have = append(have, string(row.Kind))
		if row.Of == "" || row.To == "" {
			t.Errorf("%s: the row does not say what and whom", row.Kind)
		}
	}
	kinds := constants(t, ".", "Kind")
	slices.Sort(have)
	slices.Sort(kinds)
	if !slices.Equal(have, kinds) {
		t.Errorf("rows of %v\nfor kinds %v", have, kinds)
	}
}

// TestByMail: a person's choices take effect as the kind's Choice permits.
func TestByMail(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	for _, c := range []struct {
		kind   notify.Kind
		chosen *bool
		want   bool
	}{
		{notify.AccountLocked, nil, true}, {notify.AccountLocked, &no, true}, {notify.AccountLocked, &yes, true},
		{notify.CertificateExpires, nil, true}, {notify.CertificateExpires, &no, false}, {notify.CertificateExpires, &yes, true},
		{notify.Digest, nil, true}, {notify.Digest, &no, false}, {notify.Digest, &yes, true},
		{"of_a_later_version", nil, false}, {"of_a_later_version", &yes, false},
	} {
		choices := map[notify.Kind]bool{}
		if c.chosen != nil {
			choices[c.kind] = *c.chosen
		}
		if got := notify.ByMail(c.kind, choices); got != c.want {
			t.Errorf("%s, chosen %v: %t", c.kind, choices, got)
		}
	}
	if notify.OnPage(notify.Digest) || !notify.OnPage(notify.TokenReset) {
		t.Error("the digest stands on the page, or a token's reset does not")
	}
}

// constants returns the values of a package's constants of a type.
func constants(t *testing.T, folder, of string) []string {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(folder, "*.go")))(t)
	var out []string
	for _, file := range files {
		tree := must.Get(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != of {
				return true
			}
			for _, v := range spec.Values {
				if literal, ok := v.(*ast.BasicLit); ok {
					out = append(out, must.Get(strconv.Unquote(literal.Value))(t))
				}
			}
			return true
		})
	}
	return out
}
