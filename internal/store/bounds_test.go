package store

import (
	"context"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
)

// TestCountNoAction: no recorded action has the prefix, so there is nothing to count.
func TestCountNoAction(t *testing.T) {
	t.Parallel()
	db := setup(t)
	query, args := auditCountQuery(access.All(), audit.Filter{}, []string{}, nil, nil, 10)
	if c, err := db.count(t.Context(), db.read, query, args); err != nil || c != (page.Count{TotalIsExact: true}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestWriteDeviceUnchanged: an unchanged token is not written. The trigger would refuse a write.
func TestWriteDeviceUnchanged(t *testing.T) {
	t.Parallel()
	db := setup(t)
	d, err := db.InsertDevice(t.Context(), hwkey.Device{Serial: "abcd", Status: hwkey.InStock}, audit.Entry{Action: "t.t"})
	if err != nil {
		t.Fatal(err)
	}
	err = db.write(t.Context(), "refuse", func(ctx context.Context, t *tx) error {
		_, err := t.sql.ExecContext(ctx,
			"CREATE TEMP TRIGGER unwritten BEFORE UPDATE OF label ON hwkeys BEGIN SELECT RAISE(ABORT, 'written'); END")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for version, refused := range map[int]bool{d.SecretsVersion: false, d.SecretsVersion + 1: true} {
		err := db.write(t.Context(), "write", func(ctx context.Context, t *tx) error {
			c := hwkey.Change{Device: d}
			c.Device.SecretsVersion = version
			return t.writeDevice(ctx, d, c)
		})
		if (err != nil) != refused {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// TestUnaudited: a change whose audit entry the database refuses is not made.
func TestUnaudited(t *testing.T) {
	t.Parallel()
	db := setup(t)
	err := db.write(t.Context(), "refuse", func(ctx context.Context, t *tx) error {
		_, err := t.sql.ExecContext(ctx,
			"CREATE TEMP TRIGGER unaudited BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'refused'); END")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.InsertDevice(t.Context(), hwkey.Device{Serial: "abcd", Status: hwkey.InStock}, audit.Entry{Action: "t.t"}); err == nil {
		t.Error("a token is registered without its entry")
	}
	if d, err := db.Device(t.Context(), access.All(), "abcd"); err == nil {
		t.Errorf("the token is there: %+v", d)
	}
}
