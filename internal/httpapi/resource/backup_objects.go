package resource

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/page"
)

// storePatience is for a response that waits for the backup store.
const storePatience = 2 * time.Minute

type backupHandlers struct {
	backups *backup.Service
	jobs    *backup.Runner
}

func registerBackupObjects(s *httpapi.Server, svc *backup.Service, jobs *backup.Runner) {
	h, tags := backupHandlers{svc, jobs}, []string{"backup"}
	httpapi.Register(s, httpapi.Operation{ID: "trigger-backup", Method: http.MethodPost, Path: "/api/backup/trigger", Tags: tags,
		Status: http.StatusAccepted, Summary: "Start a backup",
		Description: "The answer is the job, which is Completed once the backup was read back from the store, decrypted and compared. " +
			"409 job_running while another job runs, and backup_not_configured without an encryption password."}, h.trigger)
	httpapi.Register(s, httpapi.Operation{ID: "test-backup-connection", Method: http.MethodGet, Path: "/api/backup/test-connection",
		Tags: tags, Summary: "Test the backup store",
		Description: "Writes, lists, reads and deletes a small object where the settings say and, with Object Lock, tries whether the " +
			"bucket takes locked objects. Problems are in the answer, not an error."}, h.test)
	httpapi.Register(s, httpapi.Operation{ID: "list-backups", Method: http.MethodGet, Path: "/api/backup/list", Tags: tags,
		Summary: "List backups, newest first", Description: "Everything under the prefix that has the name of a backup, except " +
			"what a job has not verified."}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "download-backup", Method: http.MethodGet, Path: "/api/backup/download/{key...}", Tags: tags,
		Writes:  true,
		Summary: "Create a link to a backup",
		Description: "The key can contain slashes, escaped or not. The file is encrypted; the link works for an hour, and is on " +
			"record."}, h.download)
	httpapi.Register(s, httpapi.Operation{ID: "delete-backup", Method: http.MethodDelete, Path: "/api/backup/{key...}", Tags: tags,
		Summary: "Delete a backup",
		Description: "The key can contain slashes, escaped or not. 409 while the object is under retention or legal hold in the " +
			"store; nothing changes then."}, h.delete)
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "backup-blob", Method: http.MethodGet, Path: objstore.BlobPath, Tags: tags,
		Limit: httpapi.LimitAnonymous, Writes: true, Summary: "Download a backup from the directory through a link",
		Description: "Use the link from GET /api/backup/download/{key}; you need nothing else. Supports Range."},
		map[string]*huma.Response{
			"200": {Description: "The file, encrypted", Content: binaryContent()},
			"206": {Description: "A part of it", Content: binaryContent()},
		}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.blob(s, w, r) }))
}

func binaryContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}
}

// unhurried lets a response wait for the store.
func unhurried(ctx context.Context) {
	_ = http.NewResponseController(httpapi.WriterFrom(ctx)).SetWriteDeadline(time.Now().Add(storePatience))
}

func (h backupHandlers) trigger(ctx context.Context, in *struct{ Body backend.NewBackup }) (*answer[backend.BackupJob], error) {
	if err := h.backups.Admitted(ctx); err != nil { // once more, before anything is said
		return nil, err
	}
	if err := h.backups.Ready(ctx); err != nil {
		return nil, err
	}
	kind := archive.Full
	if in.Body.Type != nil {
		kind = archive.Type(*in.Body.Type)
	}
	j, err := h.jobs.Start(ctx, backup.Request{Kind: backup.Backup, Type: kind, Actor: httpapi.ActorFrom(ctx)}, h.backups.Making(kind))
	if err != nil {
		return nil, err
	}
	return &answer[backend.BackupJob]{backupJobBody(j)}, nil
}

func (h backupHandlers) test(ctx context.Context, _ *struct{}) (*answer[backend.BackupConnection], error) {
	unhurried(ctx)
	tested, err := h.backups.Test(ctx)
	if err != nil {
		return nil, err
	}
	out := backend.BackupConnection{
		Success: tested.Trouble.Text == "", Message: tested.Trouble.Text, Code: tested.Trouble.Code, Params: tested.Trouble.Params,
		Errors: inputErrors(tested.Fields), LatencyMS: tested.Latency.Milliseconds(),
	}
	if out.Success {
		out.Message = "The backup store works."
	}
	return &answer[backend.BackupConnection]{out}, nil
}

func (h backupHandlers) list(ctx context.Context, in *struct {
	Limit  int    `query:"limit" default:"50" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" maxLength:"2743" doc:"next_cursor of the page before"`
}) (*answer[page.Page[backend.BackupObject]], error) {
	unhurried(ctx)
	p, err := page.Parse(page.DefaultLimit, in.Cursor)
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" && !p.Sorted {
		return nil, fault.Invalid(page.BadCursor)
	}
	list, total, err := h.backups.List(ctx, in.Limit+1, p.After)
	if err != nil {
		return nil, err
	}
	out := page.Page[backend.BackupObject]{Items: []backend.BackupObject{}, Count: page.Count{Total: total, TotalIsExact: true}}
	for _, o := range list {
		out.Items = append(out.Items, backend.BackupObject{Key: o.Key, Type: string(o.Type), SizeBytes: o.SizeBytes, CreatedAt: o.CreatedAt})
	}
	if len(list) > in.Limit {
		last := list[in.Limit-1]
		next := page.SortedCursor(last.CreatedAt.Unix(), last.Key)
		out.Items, out.NextCursor = out.Items[:in.Limit], &next
	}
	return &answer[page.Page[backend.BackupObject]]{out}, nil
}

// BackupKey is the key in a path.
type BackupKey struct {
	Key string `path:"key" doc:"as GET /api/backup/list has it"`
}

func (h backupHandlers) download(ctx context.Context, in *BackupKey) (*answer[backend.BackupLink], error) {
	link, err := h.backups.Link(ctx, httpapi.ActorFrom(ctx), in.Key)
	if err != nil {
		return nil, err
	}
	return &answer[backend.BackupLink]{backend.BackupLink{URL: link.URL, ExpiresAt: link.ExpiresAt.UTC()}}, nil
}

func (h backupHandlers) delete(ctx context.Context, in *BackupKey) (*struct{}, error) {
	unhurried(ctx)
	return nil, h.backups.Delete(ctx, httpapi.ActorFrom(ctx), in.Key)
}

// blob serves as fast as the client reads.
func (h backupHandlers) blob(s *httpapi.Server, w http.ResponseWriter, r *http.Request) {
	b, err := h.backups.Blob(r.Context(), r.URL.Query())
	if err != nil {
		s.Fail(r.Context(), err)
		return
	}
	defer func() { _ = b.Close() }()
	if r.Method != http.MethodHead {
		if err := h.backups.Downloaded(r.Context(), httpapi.ActorFrom(r.Context()), b); err != nil {
			s.Fail(r.Context(), err)
			return
		}
	}
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": b.Name()}))
	header.Set("Cache-Control", "private, no-store")
	header.Set("Etag", b.Tag())
	http.ServeContent(patientWriter{w}, r, "", b.Object.ModifiedAt, b)
}

// patientWriter gives a client piecePatience for each write.
type patientWriter struct{ http.ResponseWriter }

const piecePatience = time.Minute

// Write implements io.Writer.
func (w patientWriter) Write(p []byte) (int, error) {
	err := http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(piecePatience))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return w.ResponseWriter.Write(p)
}
