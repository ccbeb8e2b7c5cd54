package store

import (
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/webhook"
)

// enumerations are the columns whose values are one of a few.
var enumerations = map[string]func(value string) bool{
	"users.role":                               func(v string) bool { return access.Role(v).Valid() },
	"users.auth_source":                        among(account.Local, account.OIDC),
	"api_keys.role":                            func(v string) bool { return access.Role(v).Valid() },
	"api_keys.scopes":                          keyScopes,
	"hwkeys.status":                            func(v string) bool { return hwkey.Status(v).Valid() },
	"certificates.status":                      among(cert.Issued, cert.Revoked),
	"certificates.slot":                        func(v string) bool { return piv.Slot(v).Valid() },
	"certificates.revocation_reason":           isReason,
	"unrecorded_revocations.revocation_reason": isReason,
	"audit_entries.outcome":                    among(audit.Success, audit.Failure, audit.Denied),
	"mail_outbox.role":                         func(v string) bool { return v == "" || access.Role(v).Valid() },
	"mail_outbox.status":                       among(mail.Pending, mail.Sent, mail.Failed, mail.Dropped),
	"webhook_deliveries.status":                among(webhook.Pending, webhook.Delivered, webhook.Failed),
}

func keyScopes(v string) bool {
	list, err := listOf[access.KeyScope](v)
	return err == nil && !slices.ContainsFunc(list, func(s access.KeyScope) bool { return !s.Valid() })
}

func isReason(v string) bool {
	_, err := cert.ParseReason(v)
	return err == nil
}

func among[T ~string](known ...T) func(string) bool {
	return func(v string) bool { return slices.Contains(known, T(v)) }
}

// ends reports whether a column holds a time at which something begins or ends, possibly in the
// future.
func ends(column string) bool {
	return slices.Contains([]string{"expires_at", "next_attempt_at", "over_at", "not_before", "not_after"}, column) ||
		strings.HasSuffix(column, "_until")
}

// happened reports whether it holds the time of something that has happened.
func happened(column string) bool {
	return column == "at" || column == "auth_time" || strings.HasSuffix(column, "_at") && !ends(column)
}

// judgeRow checks a row's values against what a backup may have.
func judgeRow(j restore.Judge, row sqldump.Row) error {
	for i, value := range row.Values {
		place := row.Table + "." + row.Columns[i]
		switch v := value.(type) {
		case string:
			if known, ok := enumerations[place]; ok && !known(v) {
				return restore.Unknown(place)
			}
		case int64:
			err := error(nil)
			switch column := row.Columns[i]; {
			case happened(column):
				err = j.Past(place, time.UnixMicro(v))
			case !ends(column):
				err = j.Number(place, v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
