package system

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// DatabaseComponent checks the database: that it can be read, and its write
// lock taken. altered lists changes to its tables from outside; lacks lists
// what it lost according to the vault.
func DatabaseComponent(db interface {
	Ping(ctx context.Context) error
	Writable(ctx context.Context) error
	Crowded() (allowed, wanted int, crowded bool)
}, altered, lacks func() []string) Component {
	return Component{Name: "database", Vital: true, Check: func(ctx context.Context) Finding {
		if err := db.Ping(ctx); err != nil {
			return databaseAway(err)
		}
		err := db.Writable(ctx)
		if ctx.Err() != nil {
			return Finding{Status: TimedOut, Code: "database_busy",
				Detail: "The database can be read, but a write did not finish in time: something else is holding it."}
		}
		if err != nil {
			return Finding{Status: Failed, Code: "database_read_only",
				Detail: "The database can be read but not written. See the server's log."}
		}
		if found := lacks(); len(found) > 0 {
			return Finding{Status: Degraded, Code: "database_older",
				Detail: "The database is older than the vault expects, perhaps from a snapshot. Nobody can sign " +
					"in until that is accepted with keyward recover on the server. It lacks " + strings.Join(found, "; ") + "."}
		}
		if allowed, wanted, crowded := db.Crowded(); crowded {
			return Finding{Status: Degraded, Code: "database_few", Params: map[string]any{"allowed": allowed, "wanted": wanted},
				Detail: fmt.Sprintf("PostgreSQL recently refused this server connections: it allowed %d of %d, so requests wait for each "+
					"other. Raise the limit of the server or the role, or lower DATABASE_MAX_CONNECTIONS.", allowed, wanted)}
		}
		if found := altered(); len(found) > 0 {
			return Finding{Status: Degraded, Code: "database_altered",
				Detail: "Someone has changed the database's tables, so secrets and signatures are on hold until that is undone: " +
					strings.Join(found, "; ") + "."}
		}
		return Finding{Status: OK}
	}}
}

// databaseAway says, if known, why the database accepts no connection.
func databaseAway(err error) Finding {
	if f, ok := fault.As(err); ok {
		switch f.Reason {
		case "refused":
			return Finding{Status: Failed, Code: "database_refused", Detail: f.Detail}
		case "missing":
			return Finding{Status: Failed, Code: "database_missing", Detail: f.Detail}
		case "crowded":
			return Finding{Status: Failed, Code: "database_crowded", Detail: f.Detail}
		case "untrusted":
			return Finding{Status: Failed, Code: "database_untrusted", Detail: f.Detail}
		}
	}
	return Finding{Status: Failed, Code: "database_silent", Detail: "The database is not responding. See the server's log."}
}

// VaultComponent checks the vault. lacks lists what it lost according to the database.
func VaultComponent(state func(context.Context) vault.State, lacks func() []string) Component {
	return Component{Name: "vault", Check: func(ctx context.Context) Finding {
		switch state(ctx) {
		case vault.Connected:
			if found := lacks(); len(found) > 0 {
				return Finding{Status: Degraded, Code: "vault_older",
					Detail: "The vault is older than the database expects, perhaps from a snapshot. Secrets and " +
						"signatures are on hold until that is accepted, here or with keyward recover. It lacks " +
						"" + strings.Join(found, "; ") + "."}
			}
			return Finding{Status: OK}
		case vault.Sealed:
			return Finding{Status: Failed, Code: "vault_sealed", Detail: "The vault is sealed: it has no key to open its data."}
		case vault.Denied:
			return Finding{Status: Failed, Code: "vault_denied", Detail: "The vault refuses this server's credentials. " +
				"Replace them; the log says what was refused."}
		default:
			return Finding{Status: Failed, Code: "vault_silent", Detail: "The vault is not responding."}
		}
	}}
}

// How much longer a CRL and a CA certificate should be valid.
const (
	crlReserve = 12 * time.Hour
	caReserve  = 90 * 24 * time.Hour // before it shortens certificates
)

// AuthorityComponent checks that CA and CRL are valid, with time to spare. older reports
// whether the vault's CRL is older than one that it returned before, which is still
// served, and both numbers. lifetime is that of certificates: none outlives the CA.
func AuthorityComponent(
	pki vault.PKI, lifetime time.Duration, older func() (vaults, served uint64, older bool), now func() time.Time,
) Component {
	return Component{Name: "ca_crl", Check: func(ctx context.Context) Finding {
		ca, err := authority(ctx, pki)
		if err != nil {
			return Finding{Status: Failed, Code: "authority_silent", Detail: vaultTrouble(err)}
		}
		list, err := dueFirst(ctx, pki)
		if err != nil {
			return Finding{Status: Failed, Code: "authority_silent", Detail: vaultTrouble(err)}
		}
		at := now()
		vaults, served, outdated := older()
		switch {
		case outdated:
			return Finding{Status: Failed, Code: "crl_older",
				Detail: fmt.Sprintf("The vault's revocation list has number %d, but had %d before: it seems to have been restored "+
					"from a snapshot. The newer list is served until it expires.", vaults, served)}
		case !at.Before(ca.NotAfter):
			return Finding{Status: Failed, Code: "ca_expired", Detail: "The CA certificate has expired."}
		case !at.Before(list.NextUpdate):
			return Finding{Status: Failed, Code: "crl_expired", Detail: "The revocation list has expired."}
		case at.Before(list.ThisUpdate) || at.Before(ca.NotBefore):
			return Finding{Status: Failed, Code: "clock_wrong", Detail: "The CA or the revocation list is dated " +
				"in the future: the clock is wrong."}
		case ca.NotAfter.Sub(at) < lifetime:
			ends := ca.NotAfter.UTC().Format(time.DateOnly)
			return Finding{Status: Degraded, Code: "ca_shortens", Params: map[string]any{"date": ends},
				Detail: "The CA certificate expires on " + ends + ", and every certificate issued now ends then. Renew the CA."}
		case ca.NotAfter.Sub(at) < lifetime+caReserve:
			ends, begins := ca.NotAfter.UTC().Format(time.DateOnly), ca.NotAfter.Add(-lifetime).UTC().Format(time.DateOnly)
			return Finding{Status: Degraded, Code: "ca_expires", Params: map[string]any{"date": ends, "from": begins},
				Detail: "The CA certificate expires on " + ends + ". Certificates issued from " + begins + " on end then, too. Renew the CA."}
		case list.NextUpdate.Sub(at) < crlReserve:
			return Finding{Status: Degraded, Code: "crl_late", Detail: "The revocation list should have been renewed by now."}
		}
		return Finding{Status: OK}
	}}
}

func vaultTrouble(err error) string {
	if errors.Is(err, vault.ErrSealed) {
		return "The vault is sealed: it has no key to open its data."
	}
	if f, ok := fault.As(err); ok && f.Code != fault.Internal {
		return f.Detail
	}
	return "The vault doesn't provide the CA and the revocation list. See the server's log."
}

// Free space that a data directory should have.
const (
	lowBytes  = 1 << 30   // degraded below this
	fullBytes = 100 << 20 // failed below this: database writes will soon fail
)

// DiskComponent checks the data directory's file system.
func DiskComponent(space func() (free, total int64, known bool, err error)) Component {
	return Component{Name: "disk", Check: func(context.Context) Finding {
		free, _, known, err := space()
		switch {
		case err != nil:
			return Finding{Status: Failed, Code: "disk_unknown", Detail: "The data directory can't be checked."}
		case !known:
			return Finding{Status: NotConfigured, Code: "disk_untold", Detail: "This system doesn't report free space."}
		case free < fullBytes:
			return diskFinding(Failed, free)
		case free < lowBytes:
			return diskFinding(Degraded, free)
		}
		return Finding{Status: OK}
	}}
}

func diskFinding(s Status, free int64) Finding {
	mib := free >> 20
	return Finding{Status: s, Code: "disk_low", Params: map[string]any{"mib": mib},
		Detail: fmt.Sprintf("The data directory has %d MiB left.", mib)}
}

// maxLag is how far a follower of the audit log may lag.
const maxLag = time.Minute

// FollowerComponent checks a follower of the audit log: webhooks, the sealer.
// lag returns the age of the oldest entry that it has not processed.
func FollowerComponent(name string, lag func(context.Context) (time.Duration, error)) Component {
	return Component{Name: name, Check: func(ctx context.Context) Finding {
		behind, err := lag(ctx)
		switch {
		case err != nil:
			return Finding{Status: Failed, Code: "follower_unknown",
				Detail: "Its progress can't be determined. See the server's log."}
		case behind > maxLag:
			return Finding{Status: Degraded, Code: "follower_late", Params: map[string]any{"seconds": int64(behind.Seconds())},
				Detail: fmt.Sprintf("It is %s behind the audit log.", behind.Truncate(time.Second))}
		}
		return Finding{Status: OK}
	}}
}

// dueFirst returns, of the lists of all CAs, the one that ends first.
func dueFirst(ctx context.Context, pki vault.PKI) (list vault.CRL, err error) {
	cas, err := pki.CAs(ctx)
	if err != nil {
		return list, err
	}
	for _, ca := range cas {
		if len(ca.Chain) == 0 {
			continue
		}
		one, err := pki.CRL(ctx, ca.ID)
		if err != nil {
			return list, err
		}
		if list.NextUpdate.IsZero() || one.NextUpdate.Before(list.NextUpdate) {
			list = one
		}
	}
	return list, nil
}
