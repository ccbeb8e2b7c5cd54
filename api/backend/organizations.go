package backend

import (
	"time"
)

// NewOrganization is an organization to be made.
type NewOrganization struct {
	Name         string   `json:"name" minLength:"1" maxLength:"512"`
	EmailDomains []string `json:"email_domains,omitempty" maxItems:"100" nullable:"false"`
}

// Organization is a tenant as the API shows it.
type Organization struct {
	ID           int64     `json:"id"`
	Name         string    `json:"name"`
	IsActive     bool      `json:"is_active"`
	EmailDomains []string  `json:"email_domains" nullable:"false" doc:"when any, members' emails lie in them"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
}
