package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/rollback"
)

func registerRecovery(s *httpapi.Server, guard *rollback.Guard) {
	tags := []string{"system"}
	httpapi.Register(s, httpapi.Operation{ID: "system-recovery", Method: http.MethodGet, Path: "/api/admin/system/recover",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Show why secrets and signatures are held back",
		Description: "For a vault that was restored from a snapshot: what the database knows it had. Revocations that it lacked are " +
			"already published again. Also what someone did to the database's tables. While the database is older, nobody can " +
			"sign in to ask."},
		func(context.Context, *struct{}) (*answer[backend.RecoveryReport], error) {
			return &answer[backend.RecoveryReport]{recoveryReport(guard)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-recover", Method: http.MethodPost, Path: "/api/admin/system/recover", Tags: tags,
		Summary: "Accept an older vault",
		Description: "Secrets are released and certificates signed again, on every server within ten seconds. " +
			"409 if the vault is not older."},
		func(ctx context.Context, _ *struct{ Body backend.RecoverRequest }) (*answer[backend.RecoveryReport], error) {
			// An acceptance that has begun is completed, even if the client goes away.
			if err := guard.AcceptVault(context.WithoutCancel(ctx), rollback.By{Actor: httpapi.ActorFrom(ctx)}); err != nil {
				return nil, err
			}
			return &answer[backend.RecoveryReport]{recoveryReport(guard)}, nil
		})
}

func recoveryReport(guard *rollback.Guard) backend.RecoveryReport {
	report := backend.RecoveryReport{Altered: append([]string{}, guard.SchemaTampering()...)}
	f := guard.VaultRolledBack()
	if f == nil {
		return report
	}
	report.Vault = &backend.OlderSide{FoundAt: f.At.UTC(), Lacks: []backend.Lacking{}}
	for _, m := range f.Lacks {
		l := backend.Lacking{
			What: string(m.What), Count: m.Count, AtLeast: m.AtLeast, Some: append([]string{}, m.Some...), Text: m.String()}
		l.From, l.To = present(m.From), present(m.To)
		report.Vault.Lacks = append(report.Vault.Lacks, l)
	}
	return report
}
