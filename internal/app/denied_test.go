package app

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/test/must"
)

// TestDenialOfAHangUp: a client that disconnects before the refusal is recorded all the
// same.
func TestDenialOfAHangUp(t *testing.T) {
	t.Parallel()
	db := must.Get(store.OpenSQLite(t.Context(), sqlitetest.Put(t, t.TempDir()+"/keyward.db"), store.Options{}))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	s := &services{denials: &audit.Denials{Store: db, Now: time.Now}}
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	s.denied(slog.New(slog.DiscardHandler))(gone, access.Actor{UserID: 1, Username: "carol"},
		httpapi.Denial{Operation: "get-hwkey", TargetType: "hwkey", TargetID: "1"})
	list := must.Get(db.AuditAfter(t.Context(), 0, 10))(t)
	if len(list) != 1 || list[0].Outcome != audit.Denied || list[0].TargetID != "1" || list[0].Actor != "carol" {
		t.Errorf("on record: %+v", list)
	}
}
