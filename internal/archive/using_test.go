package archive_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// TestOpenUsing: one reading hands out everything, counts what a function leaves
// unread, and returns its error; a file with a wrong tag hands out nothing.
func TestOpenUsing(t *testing.T) {
	t.Parallel()
	c := content{lines(3000), secrets(50)}
	file := write(t, archive.NewHeader(archive.Full, when, true), c)
	got, began := content{secrets: map[string]string{}}, false
	all := archive.Use{
		Database: func(sql io.Reader) error {
			began = true
			text, err := io.ReadAll(sql)
			got.sql = string(text)
			return err
		},
		Secret: func(path string, data vault.Data) error {
			got.secrets[path] = string(data)
			return nil
		},
	}
	a := must.Get(archive.OpenUsingWith(t.Context(), bytes.NewReader(file), int64(len(file)), quick("right"), all))(t)
	if got.sql != c.sql || !maps.Equal(got.secrets, c.secrets) || a.DatabaseBytes != int64(len(c.sql)) || a.Secrets != len(c.secrets) {
		t.Errorf("%d bytes of SQL, %d secrets; it says %d and %d", len(got.sql), len(got.secrets), a.DatabaseBytes, a.Secrets)
	}

	first := archive.Use{Database: func(sql io.Reader) error { _, err := io.ReadFull(sql, make([]byte, 1000)); return err }}
	a = must.Get(archive.OpenUsingWith(t.Context(), bytes.NewReader(file), int64(len(file)), quick("right"), first))(t)
	if a.DatabaseBytes != int64(len(c.sql)) || a.Secrets != len(c.secrets) {
		t.Errorf("of what was left %d bytes and %d secrets are counted", a.DatabaseBytes, a.Secrets)
	}

	full := errors.New("full")
	for name, use := range map[string]archive.Use{
		"database": {Database: func(io.Reader) error { return full }},
		"secrets":  {Secret: func(string, vault.Data) error { return full }},
	} {
		_, err := archive.OpenUsingWith(t.Context(), bytes.NewReader(file), int64(len(file)), quick("right"), use)
		if !errors.Is(err, full) {
			t.Errorf("%s: %v", name, err)
		}
	}

	began = false
	_, err := archive.OpenUsingWith(t.Context(), bytes.NewReader(file), int64(len(file)), quick("wrong"), all)
	if !fault.Is(err, fault.BackupPasswordWrong) || began {
		t.Errorf("with a wrong password: %v, handed out %t", err, began)
	}
}
