package backend

import (
	"time"
)

// NewOrganization is an organization to be made.
type NewOrganization struct {
	Name          string   `json:"name" minLength:"1" maxLength:"512"`
	EmailDomains  []string `json:"email_domains,omitempty" maxItems:"100" nullable:"false"`
	UPNSuffixes   []string `json:"upn_suffixes,omitempty" maxItems:"100" nullable:"false" doc:"what members' UPNs, as managers set them, have after the @"`
	KerberosRealm *string  `json:"kerberos_realm,omitempty" nullable:"true" maxLength:"255" doc:"of members' Kerberos principals, in its own case; null: the installation's"`
}

// Organization is a tenant as the API shows it.
type Organization struct {
	ID            int64     `json:"id"`
	Name          string    `json:"name"`
	IsActive      bool      `json:"is_active"`
	EmailDomains  []string  `json:"email_domains" nullable:"false" doc:"when any, members' emails lie in them"`
	UPNSuffixes   []string  `json:"upn_suffixes" nullable:"false" doc:"what members' UPNs, as managers set them, have after the @"`
	KerberosRealm *string   `json:"kerberos_realm" nullable:"true" doc:"of members' Kerberos principals; null: the installation's"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}
