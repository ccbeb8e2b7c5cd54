package report

import (
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/audit/line"
)

// CSVHeader is the first line of a report as CSV.
const CSVHeader = "organization,section,key,value\r\n"

// CSV returns the report as one flat table (RFC 4180) with a header, its cells
// defused against formulas. The organization is empty for what belongs to none.
func (c ComplianceReport) CSV() []byte {
	t := table{b: []byte(CSVHeader)}
	t.moment("report", "generated_at", c.GeneratedAt)
	t.number("report", "secrets_older_than_days", int64(c.Parameters.OlderThanDays))
	t.number("report", "expiring_within_days", int64(c.Parameters.ExpiringDays))
	t.moment("report", "from", c.Parameters.From)
	t.moment("report", "to", c.Parameters.To)
	for _, o := range c.Organizations {
		t.organization = o.Name
		t.tokens(o)
		t.lists(o)
	}
	return t.b
}

// table is a CSV file under construction.
type table struct {
	b            []byte
	organization string
}

func (t *table) row(section, key, value string) {
	t.b = line.AppendCell(t.b, t.organization)
	for _, cell := range []string{section, key, value} {
		t.b = line.AppendCell(append(t.b, ','), cell)
	}
	t.b = append(t.b, '\r', '\n')
}

func (t *table) number(section, key string, n int64) { t.row(section, key, strconv.FormatInt(n, 10)) }

func (t *table) moment(section, key string, at time.Time) {
	t.row(section, key, at.UTC().Format(time.RFC3339))
}

func (t *table) tokens(o OrganizationReport) {
	t.number("tokens", "total", o.Tokens)
	for _, s := range []struct {
		status string
		count  int64
	}{
		{"in_stock", o.ByStatus.InStock}, {"assigned", o.ByStatus.Assigned}, {"active", o.ByStatus.Active},
		{"suspended", o.ByStatus.Suspended}, {"lost", o.ByStatus.Lost}, {"retired", o.ByStatus.Retired},
	} {
		t.number("tokens_by_status", s.status, s.count)
	}
	for _, f := range o.Firmware {
		t.number("tokens_by_firmware", f.Version, f.Count)
	}
}

func (t *table) lists(o OrganizationReport) {
	t.number("secrets_older_than_limit", "count", o.Old.Count)
	for _, old := range o.Old.Tokens {
		t.moment("secrets_older_than_limit_tokens", old.Serial, old.ChangedAt)
	}
	t.number("certificates_expiring", "count", o.Expiring.Count)
	for _, c := range o.Expiring.Certificates {
		t.moment("certificates_expiring_certificates", c.SerialNumber, c.NotAfter)
	}
	t.number("certificates_expired", "count", o.Expired.Count)
	for _, c := range o.Expired.Certificates {
		t.moment("certificates_expired_certificates", c.SerialNumber, c.NotAfter)
	}
	for _, w := range o.Weeks {
		t.number("certificates_expiring_by_week", w.Start, w.Count)
	}
	t.number("certificates_by_attestation", "attested", o.Proofs.Attested)
	t.number("certificates_by_attestation", "not_attested", o.Proofs.NotAttested)
	for _, p := range o.Proofs.Keys {
		t.number("certificates_by_attestation_keys", "firmware "+p.Firmware+", PIN "+p.PINPolicy+", touch "+p.TouchPolicy, p.Count)
	}
	t.number("users_without_token", "count", o.Tokenless.Count)
	for _, u := range o.Tokenless.Users {
		t.row("users_without_token_users", u.Username, u.Email)
	}
	t.number("releases", "total", o.Releases.Total)
	for _, r := range o.Releases.ByReason {
		t.number("releases_by_reason", r.Reason, r.Count)
	}
}
