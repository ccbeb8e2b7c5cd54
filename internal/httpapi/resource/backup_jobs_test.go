package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// anybody is the store without its check of the actor: none exists here.
type anybody struct{ *store.DB }

func (a anybody) CancelJob(ctx context.Context, id int64, entry audit.Entry) (backup.Job, error) {
	return a.DB.CancelJob(access.OnRecord(ctx), id, entry)
}

// TestBackupJobs: what a job shows before, during and after its run, and how it is
// cancelled.
func TestBackupJobs(t *testing.T) {
	t.Parallel()
	db := must.Get(store.OpenSQLite(t.Context(), sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db")), store.Options{}))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	runner := &backup.Runner{Store: anybody{db}, Server: "a", Log: slog.New(slog.DiscardHandler), Now: time.Now}
	_, url := setup(t, Services{BackupJobs: runner})
	url += "/api/backup/jobs"
	get := func(path string, into any) {
		t.Helper()
		res := do(t, "GET", url+path, "", as(access.GlobalAdmin)...)
		if err := json.Unmarshal([]byte(res.Text), into); err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res.StatusCode, res.Text, err)
		}
	}
	var running backend.RunningBackupJobs
	if get("/running", &running); running.Items == nil || len(running.Items) > 0 {
		t.Errorf("running before: %+v", running)
	}

	q := backup.Request{Kind: backup.Backup, Type: archive.Full, Actor: access.Actor{UserID: 1, Username: "root"}}
	must.Get(runner.Run(t.Context(), q, func(context.Context, *backup.Progress) (backup.Result, error) {
		return backup.Result{Outcome: backup.Warnings, Key: "p/k", SizeBytes: 5, Warnings: []fault.Sentence{{Text: "w"}},
			Details: []fault.Sentence{fault.Sayf("counted", "{rows} rows", fault.Params{"rows": 3})}}, nil
	}))(t)
	begun, looked := make(chan struct{}), make(chan struct{})
	second := must.Get(runner.Start(t.Context(), backup.Request{Kind: backup.Drill, Type: archive.Database, Scheduled: true},
		func(ctx context.Context, p *backup.Progress) (backup.Result, error) {
			close(begun)
			<-looked
			p.Phase("download", 1200)
			p.Add(210)
			<-ctx.Done()
			return backup.Result{}, ctx.Err()
		}))(t)
	await.From(t, "the work begins", begun)
	get("/running", &running)
	if len(running.Items) != 1 || running.Items[0].JobID != second.ID || running.Items[0].Status != "Running" ||
		running.Items[0].TriggeredBy != nil || running.Items[0].FinishedAt != nil || !running.Items[0].Scheduled {
		t.Errorf("running: %+v", running)
	}
	if len(running.Items) == 1 && running.Items[0].Progress != nil {
		t.Errorf("progress before the first phase: %+v", *running.Items[0].Progress)
	}
	close(looked)
	total := int64(1200)
	await.That(t, "what its phase has done shows", func() bool {
		get("/running", &running)
		return len(running.Items) == 1 && cmp.Equal(running.Items[0].Progress, &backend.Progress{Done: 210, Total: &total, Unit: "bytes"},
			cmp.AllowUnexported(backend.Progress{}))
	})
	one := fmt.Sprintf("/%d/cancel", second.ID)
	if res := do(t, "POST", url+one, "", as(access.GlobalAdmin)...); res.StatusCode != http.StatusOK {
		t.Fatal(res.StatusCode, res.Text)
	}
	await.That(t, "the job ends", func() bool { get("/running", &running); return len(running.Items) == 0 })
	if res := do(t, "POST", url+one, "", as(access.GlobalAdmin)...); res.Document(t).Code != string(fault.Conflict) {
		t.Errorf("cancelled again: %s", res.Text)
	}

	var list struct {
		Items []backend.BackupJob `json:"items"`
	}
	get("?limit=10", &list)
	if len(list.Items) != 2 {
		t.Fatalf("%+v", list)
	}
	drill, first := list.Items[0], list.Items[1]
	if *drill.Outcome != "cancelled" || *drill.ErrorMessage != "The job was cancelled." || !drill.CancelRequested ||
		drill.Status != "Failed" || drill.Sentences.ErrorMessage == nil || drill.Sentences.ErrorMessage.Code != "cancelled" {
		t.Errorf("the drill: %+v", drill)
	}
	ok, root := "warnings", backend.Owner{ID: 1, Username: "root"}
	want := backend.BackupJob{
		JobID: first.JobID, Kind: "backup", Type: "full", Status: "Completed", ProgressPercent: 100, Outcome: &ok, TriggeredBy: &root,
		Key: "p/k", SizeBytes: 5, Details: "3 rows", Warnings: []string{"w"}, CreatedAt: first.CreatedAt, StartedAt: first.StartedAt,
		FinishedAt: first.FinishedAt, Sentences: backend.JobSentences{Warnings: []backend.Sentence{{Text: "w"}},
			Details: []backend.Sentence{{Code: "counted", Params: map[string]any{"rows": 3.0}, Text: "3 rows"}}},
	}
	if diff := cmp.Diff(want, first, cmp.AllowUnexported(backend.Owner{})); diff != "" || first.FinishedAt == nil {
		t.Errorf("the backup (-want +got): %s", diff)
	}
	var same backend.BackupJob
	if get(fmt.Sprintf("/%d", first.JobID), &same); same.JobID != first.JobID || same.Key != "p/k" {
		t.Errorf("by its id: %+v", same)
	}
	get("?kind=drill&status=Failed", &list)
	if len(list.Items) != 1 || list.Items[0].JobID != second.ID {
		t.Errorf("failed drills: %+v", list)
	}
	if res := do(t, "GET", url+"?kind=move", "", as(access.GlobalAdmin)...); res.StatusCode != http.StatusBadRequest {
		t.Errorf("another kind: %d", res.StatusCode)
	}
}
