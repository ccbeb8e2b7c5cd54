package backup_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// TestCancelledAtTheEnd: a job that is cancelled while the last request of its upload in
// parts is under way is cancelled, and leaves neither an object nor parts, whatever became of
// that request.
func TestCancelledAtTheEnd(t *testing.T) {
	t.Parallel()
	b := filled(t)
	const documents, bytes = 16, 400 << 10 // more than one part of an upload
	for n := range documents {
		noise := make([]byte, bytes)
		must.Get(rand.Read(noise))(t)
		text := fmt.Sprintf(`{"pin":%q}`, base64.StdEncoding.EncodeToString(noise))
		must.Get(b.kv.Put(t.Context(), fmt.Sprintf("9876%04d/secrets", n), vault.Data(text), 0))(t)
	}
	proxy := s3server.Shared(t).Proxy(t)
	b.inBucket(proxy.Address)
	b.Job = b.db.BackupJob
	jobs := &backup.Runner{Store: b.db, Server: "a", Log: slog.New(slog.DiscardHandler), Now: time.Now}
	for name, fault := range map[string]s3server.Fault{"it goes through": {}, "it never arrives": {CutBefore: true}} {
		cancelled := false
		proxy.Fault(func(r *http.Request) s3server.Fault {
			if r.Method != http.MethodPost || !r.URL.Query().Has("uploadId") {
				return s3server.Fault{}
			}
			if j, _, err := b.db.ActiveJob(t.Context()); err != nil {
				t.Error(err)
			} else if _, err := jobs.Cancel(t.Context(), admin, j.ID); err != nil {
				t.Error(err)
			}
			cancelled = true
			return fault
		})
		j, err := jobs.Run(t.Context(), backup.Request{Kind: backup.Backup, Type: archive.Vault, Actor: admin}, b.Making(archive.Vault))
		proxy.Fault(nil)
		if err == nil || !cancelled || j.Status != backup.Failed || j.Outcome != backup.Cancelled || j.ErrorMessage.Code != "cancelled" {
			t.Errorf("%s: %v, %+v", name, err, j)
		}
		if _, total, err := b.List(t.Context(), 10); total != 0 || err != nil {
			t.Errorf("%s: %d are listed, %v", name, total, err)
		}
		store := b.open()
		if n := must.Get(store.Sweep(t.Context(), time.Now().Add(time.Hour)))(t); n != 0 {
			t.Errorf("%s: %d uploads are left", name, n)
		}
		b.files()
	}
}
