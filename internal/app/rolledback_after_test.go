package app_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// afterOlderDatabase does what administrators must do after accepting an older database
// that lacks a release and, with disable, has disabled everybody else.
func (w *fixture) afterOlderDatabase(t *testing.T, disable bool) {
	t.Helper()
	ctx := t.Context()
	admin := w.client(t, "admin", adminPassword)
	if r := must.Get(admin.Releases(ctx, "10000"))(t); r.Lost != 1 || r.Count < 1 || !r.OnRecord {
		t.Errorf("a release that it lacks: %+v", r)
	}
	if p := must.Get(admin.Unrecorded(ctx, ""))(t); len(p.Items) > 0 {
		t.Errorf("certificates that it lacks: %+v", p.Items)
	}
	// The comparison with the vault continues after the acceptance, alongside requests.
	await.That(t, "what the vault has revoked is so on record", func() bool {
		out := w.must(200, "GET", "/api/certificates/"+w.serial, w.tokens["admin"], nil)
		return out["status"] == "revoked"
	})
	// Until it is published again, revoking it only does that.
	await.That(t, "what the vault has revoked is not revoked again", func() bool {
		_, err := admin.RevokeAny(ctx, client.RevokeAny{SerialNumber: w.serial, Reason: "cessationOfOperation"})
		return fault.Is(err, fault.Conflict)
	})
	if out := w.must(200, "GET", "/api/certificates/"+w.serial, w.tokens["admin"], nil); out["revocation_reason"] == "cessationOfOperation" {
		t.Errorf("it has the later reason: %v", out)
	}
	var ids []int64
	names := map[string]int64{}
	for _, u := range must.Get(admin.DisabledByRecovery(ctx, ""))(t).Items {
		ids, names[u.Username] = append(ids, u.ID), u.ID
	}
	if !disable {
		if len(ids) > 0 {
			t.Errorf("disabled: %v", names)
		}
		return
	}
	if want := []string{"a-org_manager", "a-user", "b-org_manager", "b-user", "boss"}; !slices.Equal(slices.Sorted(maps.Keys(names)), want) {
		t.Errorf("disabled: %v", names)
	}
	some := []int64{names["a-user"], names["a-org_manager"]}
	for _, want := range []client.EnabledUsers{{Enabled: 2}, {Unchanged: 2}} {
		if got := must.Get(admin.EnableUsers(ctx, some...))(t); got != want {
			t.Errorf("enabled: %+v, want %+v", got, want)
		}
	}
	// A manager reaches the organization's own people, all of them or none.
	manager := w.client(t, "a-org_manager", usual)
	for what, id := range map[string]int64{"another organization's": names["b-user"], "an administrator": names["boss"], "nobody": 99999} {
		if _, err := manager.EnableUsers(ctx, names["a-user"], id); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("%s is enabled by a manager: %v", what, err)
		}
	}
	denied := w.audited("admin", "permission.denied")
	for _, id := range []int64{names["b-user"], names["boss"], 99999} {
		if !slices.ContainsFunc(denied, func(e string) bool { return strings.HasPrefix(e, fmt.Sprint("a-org_manager: ", id, " ")) }) {
			t.Errorf("that a manager asked for %d is not in the audit log: %v", id, denied)
		}
	}
	if p := must.Get(admin.DisabledByRecovery(ctx, ""))(t); len(p.Items) != 3 {
		t.Errorf("left: %+v", p.Items)
	}
	if entries := w.audited("admin", "user.enabled"); len(entries) != 2 {
		t.Errorf("the audit log has %v", entries)
	}
	if _, err := admin.EnableUsers(ctx, slices.Repeat([]int64{1}, 201)...); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("too many: %v", err)
	}
}
