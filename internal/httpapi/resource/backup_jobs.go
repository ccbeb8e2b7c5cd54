package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
)

func backupJobBody(j backup.Job) backend.BackupJob {
	body := backend.BackupJob{
		JobID: j.ID, Kind: string(j.Kind), Type: string(j.Type), Status: string(j.Status), Phase: j.Phase, ProgressPercent: j.Percent,
		Outcome: unlessEmpty(string(j.Outcome)), ErrorMessage: unlessEmpty(j.ErrorMessage.Text), Scheduled: j.Scheduled, Key: j.Key,
		SizeBytes: j.SizeBytes, CancelRequested: j.Cancel, Details: backup.Counted(j.Details), Warnings: fault.Texts(j.Warnings),
		Sentences: jobSentences(j), CreatedAt: j.CreatedAt.UTC(), StartedAt: utc(j.StartedAt), FinishedAt: utc(j.FinishedAt),
	}
	if j.Status == backup.Running && j.Unit != "" {
		body.Progress = &backend.Progress{Done: j.Done, Unit: string(j.Unit)}
		if j.Total > 0 {
			body.Progress.Total = &j.Total
		}
	}
	if by := j.TriggeredBy(); by != nil {
		body.TriggeredBy = &backend.Owner{ID: by.ID, Username: by.Username}
	}
	return body
}

func jobSentences(j backup.Job) backend.JobSentences {
	said := backend.JobSentences{Details: sentences(j.Details), Warnings: sentences(j.Warnings)}
	if j.ErrorMessage.Text != "" {
		said.ErrorMessage = &sentences([]fault.Sentence{j.ErrorMessage})[0]
	}
	return said
}

func sentences(list []fault.Sentence) []backend.Sentence {
	out := []backend.Sentence{}
	for _, s := range list {
		out = append(out, backend.Sentence{Code: s.Code, Params: s.Params, Text: s.Text})
	}
	return out
}

func unlessEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type backupJobHandlers struct{ runner *backup.Runner }

// BackupJobPath is the job of a path.
type BackupJobPath struct {
	ID int64 `path:"id" minimum:"1"`
}

func registerBackupJobs(s *httpapi.Server, runner *backup.Runner) {
	h, tags := backupJobHandlers{runner}, []string{"backup"}
	const base = "/api/backup/jobs"
	httpapi.Register(s, httpapi.Operation{ID: "list-backup-jobs", Method: http.MethodGet, Path: base, Tags: tags,
		Summary: "List backups, restores and trial restores, newest first"}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "running-backup-jobs", Method: http.MethodGet, Path: base + "/running", Tags: tags,
		Summary: "Show the pending or running job", Description: "One job runs at a time, across all servers."}, h.running)
	httpapi.Register(s, httpapi.Operation{ID: "get-backup-job", Method: http.MethodGet, Path: base + "/{id}", Tags: tags,
		Summary: "Show a backup, restore or trial restore"}, h.get)
	httpapi.Register(s, httpapi.Operation{ID: "cancel-backup-job", Method: http.MethodPost, Path: base + "/{id}/cancel", Tags: tags,
		Unbarred: true, Summary: "Cancel a job",
		Description: "The server that works on it notices within 15 seconds. The job is then Failed with the outcome cancelled, or " +
			"Completed if its work was done before. 409 if it is already over."}, h.cancel)
}

func (h backupJobHandlers) list(ctx context.Context, in *struct {
	Paging
	Kind   string `query:"kind" enum:"backup,restore,drill"`
	Status string `query:"status" enum:"Pending,Running,Completed,Failed"`
}) (*answer[page.Page[backend.BackupJob]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	list, err := h.runner.Store.ListJobs(ctx, backup.Filter{Kind: backup.Kind(in.Kind), Status: backup.Status(in.Status)}, p)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[backend.BackupJob]]{page.Map(list, backupJobBody)}, nil
}

func (h backupJobHandlers) running(ctx context.Context, _ *struct{}) (*answer[backend.RunningBackupJobs], error) {
	j, ok, err := h.runner.Store.ActiveJob(ctx)
	if err != nil {
		return nil, err
	}
	out := backend.RunningBackupJobs{Items: []backend.BackupJob{}}
	if ok {
		out.Items = append(out.Items, backupJobBody(j))
	}
	return &answer[backend.RunningBackupJobs]{out}, nil
}

func (h backupJobHandlers) get(ctx context.Context, in *BackupJobPath) (*answer[backend.BackupJob], error) {
	j, err := h.runner.Store.BackupJob(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[backend.BackupJob]{backupJobBody(j)}, nil
}

func (h backupJobHandlers) cancel(ctx context.Context, in *BackupJobPath) (*answer[backend.BackupJob], error) {
	j, err := h.runner.Cancel(ctx, httpapi.ActorFrom(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[backend.BackupJob]{backupJobBody(j)}, nil
}
