package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/httpapi"
)

type restoreHandlers struct{ restorer *backup.Restorer }

func registerRestore(s *httpapi.Server, restorer *backup.Restorer) {
	h, tags := restoreHandlers{restorer}, []string{"backup"}
	const base = "/api/backup"
	httpapi.Register(s, httpapi.Operation{ID: "restore-backup", Method: http.MethodPost, Path: base + "/restore", Tags: tags,
		Status: http.StatusAccepted, Summary: "Restore a backup",
		Description: "Everything is checked before anything changes: if a check fails, the job is Failed and says why. Over this " +
			"installation, nothing is deleted: newer data stays, revocations stay, and accounts that were disabled, demoted " +
			"or missing just before come back disabled. All sessions end, including yours, and all API keys are revoked; " +
			"while it runs, changes get 503 restore_running. 409 while another job runs."}, h.restore)
	httpapi.Register(s, httpapi.Operation{ID: "validate-backup-password", Method: http.MethodPost, Path: base + "/restore/validate-password",
		Tags: tags, Summary: "Check a backup's password",
		Description: "Quick: it only decrypts the beginning of the backup. " +
			"422 if the file isn't a backup that this server can read."}, h.tryPassword)
	httpapi.Register(s, httpapi.Operation{ID: "restore-status", Method: http.MethodGet, Path: base + "/restore/status", Tags: tags,
		Witnessed: true, Summary: "Show the status of the restore",
		Description: "Whoever started it can read this with their previous access token, although the restore ends all sessions, until " +
			"half an hour after it ends."}, h.status)
	httpapi.Register(s, httpapi.Operation{ID: "retry-backup-job", Method: http.MethodPost, Path: base + "/jobs/{id}/retry", Tags: tags,
		Status: http.StatusAccepted, Summary: "Continue a restore that stopped halfway",
		Description: "Repeats the vault's part of a restore whose database part is done, and completes it, as another job. " +
			"409 if there is nothing to repeat."}, h.retry)
	httpapi.Register(s, httpapi.Operation{ID: "drill-backup", Method: http.MethodPost, Path: base + "/drill", Tags: tags,
		Status: http.StatusAccepted, Summary: "Start a trial restore",
		Description: "Restores into a temporary database and vault; nothing here is touched. Uses the password in the settings, so a " +
			"backup made with a previous one fails. 409 without a password or a backup, or while another job runs."}, h.drill)
}

func (h restoreHandlers) restore(ctx context.Context, in *struct{ Body backend.RestoreRequest }) (*answer[backend.BackupJob], error) {
	actor := httpapi.ActorFrom(ctx)
	j, err := h.restorer.Start(ctx, backup.Restoration{
		Key: in.Body.Key, Password: archive.TypedPassword(in.Body.Password), ReplaceCA: in.Body.ReplaceCA, Actor: actor,
	})
	if err != nil {
		return nil, err
	}
	return h.begun(ctx, j), nil
}

// begun lets the caller watch the restore.
func (h restoreHandlers) begun(ctx context.Context, j backup.Job) *answer[backend.BackupJob] {
	h.restorer.Watch(ctx, j.ID, httpapi.BearerFrom(ctx))
	return &answer[backend.BackupJob]{backupJobBody(j)}
}

func (h restoreHandlers) retry(ctx context.Context, in *struct {
	BackupJobPath

	Body backend.RetryRestore
}) (*answer[backend.BackupJob], error) {
	j, err := h.restorer.Retry(ctx, httpapi.ActorFrom(ctx), in.ID, archive.TypedPassword(in.Body.Password))
	if err != nil {
		return nil, err
	}
	return h.begun(ctx, j), nil
}

func (h restoreHandlers) drill(ctx context.Context, in *struct{ Body backend.DrillRequest }) (*answer[backend.BackupJob], error) {
	j, err := h.restorer.Drill(ctx, httpapi.ActorFrom(ctx), in.Body.Key)
	if err != nil {
		return nil, err
	}
	return &answer[backend.BackupJob]{backupJobBody(j)}, nil
}

func (h restoreHandlers) status(ctx context.Context, _ *struct{}) (*answer[backend.RestoreStatus], error) {
	last, unfinished, err := h.restorer.Status(ctx)
	if err != nil {
		return nil, err
	}
	var out backend.RestoreStatus
	if last != nil {
		out.Running, out.Job = last.Status.Active(), &backend.RestoreJob{BackupJob: backupJobBody(*last)}
	}
	if unfinished != nil {
		out.Unfinished = &backend.RestoreJob{BackupJob: backupJobBody(*unfinished)}
	}
	return &answer[backend.RestoreStatus]{out}, nil
}

func (h restoreHandlers) tryPassword(ctx context.Context, in *struct{ Body backend.BackupPasswordRequest }) (
	*answer[backend.BackupPasswordResult], error,
) {
	tried, err := h.restorer.TryPassword(ctx, in.Body.Key, archive.TypedPassword(in.Body.Password))
	if err != nil {
		return nil, err
	}
	of := tried.Header
	return &answer[backend.BackupPasswordResult]{backend.BackupPasswordResult{Valid: tried.Fits, Header: backend.BackupHeader{
		Version: 1, CreatedAt: of.CreatedAt.UTC(), BackupType: string(of.Type), Checksum: of.Checksum,
		IncludesDB: of.IncludesDB, IncludesKV: of.IncludesKV, IncludesAudit: of.IncludesAudit,
	}}}, nil
}
