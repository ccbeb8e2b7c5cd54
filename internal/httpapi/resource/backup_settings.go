package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/httpapi"
)

// backupSettingsOf applies the request to the defaults.
func backupSettingsOf(in backend.PutBackupSettings) backup.Settings {
	out := backup.DefaultSettings()
	out.Endpoint, out.Region, out.Bucket, out.Prefix = in.S3Endpoint, in.Region, in.Bucket, in.Prefix
	out.AccessKeyID, out.PathStyle, out.InsecureTLS = in.AccessKeyID, in.S3Endpoint != "", in.InsecureTLS
	out.LockMode, out.LockDays, out.Encryption, out.KMSKeyID = in.ObjectLockMode, in.ObjectLockDays, in.Encryption, in.KMSKeyID
	out.TimeZone = in.TimeZone
	if in.Store != nil {
		out.Store = backup.Place(*in.Store)
	}
	set(&out.PathStyle, in.UsePathStyle)
	set(&out.Schedule, in.Schedule)
	set(&out.DrillSchedule, in.DrillSchedule)
	set(&out.RetentionDays, in.RetentionDays)
	set(&out.IncludeAuditLogs, in.IncludeAuditLogs)
	return out
}

type backupSettingsHandlers struct {
	svc   *backup.Service
	watch *backup.Watch
}

// show returns the current settings and what follows from them.
func (h backupSettingsHandlers) show(ctx context.Context, passwordChanged bool) (*answer[backend.BackupSettings], error) {
	s, has, err := h.svc.Show(ctx)
	if err != nil {
		return nil, err
	}
	stands, err := h.watch.Look(ctx)
	if err != nil {
		return nil, err
	}
	return &answer[backend.BackupSettings]{backend.BackupSettings{
		Store: string(s.Store), S3Endpoint: s.Endpoint, Region: s.Region, Bucket: s.Bucket, Prefix: s.Prefix, AccessKeyID: s.AccessKeyID,
		SecretAccessKeySet: has.SecretKey, UsePathStyle: s.PathStyle, InsecureTLS: s.InsecureTLS,
		ObjectLockMode: s.LockMode, ObjectLockDays: s.LockDays, Encryption: s.Encryption, KMSKeyID: s.KMSKeyID,
		Schedule: s.Schedule, DrillSchedule: s.DrillSchedule, TimeZone: s.TimeZone,
		RetentionDays: s.RetentionDays, IncludeAuditLogs: s.IncludeAuditLogs,
		EncryptionPasswordSet: has.Password, Location: h.svc.Location(s), Warnings: s.Warnings(has, passwordChanged, h.svc.Versioned(ctx, s)),
		NextAt: unlessZero(stands.Next), NextDrillAt: unlessZero(stands.NextDrill),
		OverdueAt: unlessZero(stands.Overdue), DrillOverdueAt: unlessZero(stands.DrillOverdue),
	}}, nil
}

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func registerBackupSettings(s *httpapi.Server, svc *backup.Service, watch *backup.Watch) {
	const path = "/api/backup/settings"
	h, tags := backupSettingsHandlers{svc, watch}, []string{"backup"}
	httpapi.Register(s, httpapi.Operation{ID: "get-backup-settings", Method: http.MethodGet, Path: path, Tags: tags,
		Summary: "Show the backup settings", Description: "Includes the next scheduled times, and what is overdue."},
		func(ctx context.Context, _ *struct{}) (*answer[backend.BackupSettings], error) {
			return h.show(ctx, false)
		})
	httpapi.Register(s, httpapi.Operation{ID: "put-backup-settings", Method: http.MethodPut, Path: path, Tags: tags,
		Summary: "Change the backup settings",
		Description: "Replaces all settings: fields that you leave out get their default, except the two secrets, which don't change. " +
			"Of the store it only asks whether the bucket keeps versions: GET /api/backup/test-connection says whether it " +
			"accepts backups."},
		func(ctx context.Context, in *struct{ Body backend.PutBackupSettings }) (*answer[backend.BackupSettings], error) {
			changed, err := svc.Change(ctx, httpapi.ActorFrom(ctx), backupSettingsOf(in.Body),
				backup.Secrets{SecretKey: in.Body.SecretAccessKey, Password: in.Body.EncryptionPassword})
			if err != nil {
				return nil, err
			}
			return h.show(ctx, changed.Password)
		})
}
