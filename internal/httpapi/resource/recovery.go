package resource

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/recovery"
)

// RecoveryReport is what was found of database and vault.
type RecoveryReport struct {
	Vault *OlderSide `json:"vault" doc:"null: it is not older than the database knows it to be"`
}

// OlderSide is what a side lacks that is older, or null.
type OlderSide backend.OlderSide

// Schema says that it may be null.
func (OlderSide) Schema(r huma.Registry) *huma.Schema { return nullable[backend.OlderSide](r) }

// RecoverRequest accepts an older vault.
type RecoverRequest struct {
	AcceptOlder string `json:"accept_older" enum:"vault" doc:"an older database is accepted with keyward recover on the server's machine alone"`
}

func registerRecovery(s *httpapi.Server, guard *recovery.Guard) {
	tags := []string{"system"}
	httpapi.Register(s, httpapi.Operation{ID: "system-recovery", Method: http.MethodGet, Path: "/api/admin/system/recover",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Tell what an older vault lacks",
		Description: "Of a vault that was put back from a snapshot: what the database knows it to have had. Revocations that it lacked were " +
			"published again already. While the database is older, nobody is let in to ask."},
		func(context.Context, *struct{}) (*answer[RecoveryReport], error) {
			return &answer[RecoveryReport]{recoveryReport(guard)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-recover", Method: http.MethodPost, Path: "/api/admin/system/recover", Tags: tags,
		Summary: "Accept an older vault",
		Description: "Secrets are released and certificates signed again, on every server within ten seconds. It demands recent " +
			"authentication. 409 when the vault is not older."},
		func(ctx context.Context, _ *struct{ Body RecoverRequest }) (*answer[RecoveryReport], error) {
			// What has begun is brought to its end, whoever goes away.
			if err := guard.AcceptVault(context.WithoutCancel(ctx), recovery.By{Actor: httpapi.ActorFrom(ctx)}); err != nil {
				return nil, err
			}
			return &answer[RecoveryReport]{recoveryReport(guard)}, nil
		})
}

func recoveryReport(guard *recovery.Guard) RecoveryReport {
	f := guard.VaultOlder()
	if f == nil {
		return RecoveryReport{}
	}
	side := &OlderSide{FoundAt: f.At.UTC(), Lacks: []backend.Lacking{}}
	for _, m := range f.Lacks {
		l := backend.Lacking{What: string(m.What), Count: m.Count, Some: append([]string{}, m.Some...), Text: m.String()}
		l.From, l.To = present(m.From), present(m.To)
		side.Lacks = append(side.Lacks, l)
	}
	return RecoveryReport{side}
}
