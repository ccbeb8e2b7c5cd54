package store

import (
	"context"
	"errors"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// InsertOrganization implements account.OrganizationStore.
func (db *DB) InsertOrganization(ctx context.Context, o account.Organization, entry audit.Entry) (account.Organization, error) {
	domains, err := listText(o.EmailDomains)
	suffixes, suffixErr := listText(o.UPNSuffixes)
	if err := errors.Join(err, suffixErr); err != nil {
		return account.Organization{}, asFault("insert organization", err)
	}
	var stored account.Organization
	err = db.writeInTurn(ctx, "insert organization", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		id, err := t.q.InsertOrganization(ctx, sqlcgen.InsertOrganizationParams{
			Name: o.Name, NameKey: fold(o.Name), IsActive: o.IsActive, EmailDomains: domains,
			CreatedAt: micros(o.CreatedAt), UpdatedAt: micros(o.UpdatedAt),
			UpnSuffixes: suffixes, KerberosRealm: o.KerberosRealm,
		})
		if none(err) {
			return nameTaken
		}
		if err != nil {
			return err
		}
		if stored, err = queryOne(ctx, t.sql, scanOrganization, organizationColumns+organizationFrom+" WHERE o.id = $1", id); err != nil {
			return err
		}
		return t.audit(ctx, about([]audit.Entry{entry}, "organization", audit.ID(id))...)
	})
	if err != nil {
		return account.Organization{}, err
	}
	return stored, nil
}

const organizationColumns = "SELECT o.id, o.name, o.is_active, o.email_domains, o.created_at, o.updated_at, " +
	"o.upn_suffixes, o.kerberos_realm"

const organizationFrom = " FROM organizations AS o"

func scanOrganization(row scanner) (o account.Organization, err error) {
	var created, updated int64
	var domains, suffixes string
	if err = row.Scan(&o.ID, &o.Name, &o.IsActive, &domains, &created, &updated, &suffixes, &o.KerberosRealm); err != nil {
		return o, err
	}
	o.CreatedAt, o.UpdatedAt = moment(created), moment(updated)
	if o.UPNSuffixes, err = listOf[string](suffixes); err != nil {
		return o, err
	}
	o.EmailDomains, err = listOf[string](domains)
	return o, err
}

var noOrganization = fault.New(fault.NotFound, "no_organization", "There is no such organization.")

// Organization implements account.OrganizationStore.
func (db *DB) Organization(ctx context.Context, scope access.Scope, id int64) (account.Organization, error) {
	w := &where{}
	w.equal("o.id", id)
	w.scope(scope, organizationScope, nil, nil, false)
	o, err := queryOne(ctx, db.read, scanOrganization, organizationColumns+organizationFrom+w.String(), w.args...)
	if none(err) {
		err = noOrganization
	}
	return o, asFault("organization", err)
}

var (
	organizationScope = columns{organization: "o.id"}
	organizationSorts = map[string]sortable{"name": distinct("o.name_key")}
)

// ListOrganizations implements account.OrganizationStore.
func (db *DB) ListOrganizations(
	ctx context.Context, scope access.Scope, f account.OrganizationFilter, p page.Request,
) (page.Page[account.Organization], error) {
	w := &where{}
	w.scope(scope, organizationScope, nil, nil, true)
	o, err := db.orderOf(organizationSorts, f.Sort, false, p)
	if err != nil {
		return page.Page[account.Organization]{}, err
	}
	switch {
	case f.IsActive == nil:
	case *f.IsActive:
		w.is("o.is_active = TRUE")
	default:
		w.is("o.is_active = FALSE")
	}
	if f.Q != "" {
		w.contains(f.Q, "o.name_key")
	}
	list := listed[account.Organization]{organizationColumns, organizationFrom, "", "o.id",
		scanOrganization, func(o account.Organization) int64 { return o.ID }}
	var key func(account.Organization) string
	if f.Sort != "" {
		key = func(o account.Organization) string { return fold(o.Name) }
	}
	return list.sorted(ctx, db, "list organizations", w, o, key, p)
}

// checkOrganization is Invalid for organization_id if there is no such organization.
func (t *tx) checkOrganization(ctx context.Context, id *int64) error {
	if id == nil {
		return nil
	}
	n, err := t.q.OrganizationExists(ctx, *id)
	if err == nil && n == 0 {
		err = fault.Invalid(account.UnknownOrganization("organization_id"))
	}
	return err
}
