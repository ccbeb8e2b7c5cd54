package storetest

import (
	"cmp"
	"slices"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/report"
)

// count says what the report must tell of an organization, from the rows
// themselves and the words of the report's fields.
func (m *fleet) count(o *organization.Organization) report.OrganizationReport {
	out := report.OrganizationReport{ID: organizationOf(o)}
	if o != nil {
		out.Name = o.Name
	}
	of := func(id *int64) bool { return (id == nil) == (o == nil) && (id == nil || *id == o.ID) }
	m.countTokens(&out, of)
	m.countCertificates(&out, of)
	m.countProofs(&out, of)
	m.countWeeks(&out, of)
	m.countPeople(&out, of)
	reasons := map[string]int64{}
	for _, e := range m.entries {
		released := e.Outcome == "success" && (e.Action == "hwkey.secrets_released" || e.Action == "hwkey.rotation_started")
		if released && of(e.OrganizationID) && !e.At.Before(question.From) && e.At.Before(question.To) {
			out.Releases.Total++
			reasons[e.Reason]++
		}
	}
	for reason, n := range reasons {
		out.Releases.ByReason = append(out.Releases.ByReason, report.ReasonCount{Reason: reason, Count: n})
	}
	slices.SortFunc(out.Releases.ByReason, func(a, b report.ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	out.Releases.ByReason = firstOf(out.Releases.ByReason)
	return out
}

func firstOf[T any](list []T) []T { return list[:min(len(list), question.ListLimit)] }

func (m *fleet) countTokens(out *report.OrganizationReport, of func(*int64) bool) {
	versions := map[string]int64{}
	old := []hwkey.Device{}
	for _, d := range m.devices {
		if !of(d.OrganizationID) {
			continue
		}
		out.Tokens++
		versions[d.FirmwareVersion]++
		switch d.Status {
		case hwkey.InStock:
			out.ByStatus.InStock++
		case hwkey.Assigned:
			out.ByStatus.Assigned++
		case hwkey.Active:
			out.ByStatus.Active++
		case hwkey.Suspended:
			out.ByStatus.Suspended++
		case hwkey.Lost:
			out.ByStatus.Lost++
		case hwkey.Retired:
			out.ByStatus.Retired++
		}
		if d.Status != hwkey.Retired && d.SecretsChangedAt.Before(question.ChangedBefore) {
			old = append(old, d)
		}
	}
	for version, n := range versions {
		out.Firmware = append(out.Firmware, report.FirmwareCount{Version: version, Count: n})
	}
	slices.SortFunc(out.Firmware, func(a, b report.FirmwareCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Version, b.Version))
	})
	out.Firmware = firstOf(out.Firmware)
	out.Old.Count = int64(len(old))
	slices.SortFunc(old, func(a, b hwkey.Device) int {
		return cmp.Or(a.SecretsChangedAt.Compare(*b.SecretsChangedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, d := range firstOf(old) {
		token := report.OldToken{Serial: d.Serial, ChangedAt: *d.SecretsChangedAt}
		if d.OwnerID != nil {
			token.Owner, token.OwnerName = ptr(d.OwnerUsername), d.OwnerName
		}
		out.Old.Tokens = append(out.Old.Tokens, token)
	}
}

func (m *fleet) countCertificates(out *report.OrganizationReport, of func(*int64) bool) {
	ending := []cert.Certificate{}
	for _, c := range m.certificates {
		if of(c.OrganizationID) && c.Live(question.Now) && !c.NotAfter.After(question.EndsUntil) {
			ending = append(ending, c)
		}
	}
	out.Expiring.Count = int64(len(ending))
	out.Expiring.Certificates = byEnd(ending)
	ended := []cert.Certificate{}
	for _, c := range m.certificates {
		active := slices.ContainsFunc(m.devices, func(d hwkey.Device) bool { return d.Serial == c.HWKeySerial && d.Status == hwkey.Active })
		later := slices.ContainsFunc(m.certificates, func(n cert.Certificate) bool {
			return n.HWKeySerial == c.HWKeySerial && n.Slot == c.Slot && n.ID > c.ID
		})
		if of(c.OrganizationID) && c.Status != cert.Revoked && !c.NotAfter.After(question.Now) && active && !later {
			ended = append(ended, c)
		}
	}
	out.Expired.Count = int64(len(ended))
	out.Expired.Certificates = byEnd(ended)
}

// byEnd lists the first of certificates, by their ends.
func byEnd(list []cert.Certificate) (out []report.ExpiringCertificate) {
	slices.SortFunc(list, func(a, b cert.Certificate) int {
		return cmp.Or(a.NotAfter.Compare(b.NotAfter), cmp.Compare(a.ID, b.ID))
	})
	for _, c := range firstOf(list) {
		out = append(out,
			report.ExpiringCertificate{SerialNumber: c.SerialNumber, HWKeySerial: c.HWKeySerial, CommonName: c.CommonName, NotAfter: c.NotAfter})
	}
	return out
}

func (m *fleet) countProofs(out *report.OrganizationReport, of func(*int64) bool) {
	type made struct{ firmware, pin, touch string }
	alike := map[made]int64{}
	for _, c := range m.certificates {
		switch {
		case !of(c.OrganizationID) || !c.Live(question.Now):
		case c.Attestation == nil:
			out.Proofs.NotAttested++
		default:
			out.Proofs.Attested++
			alike[made{c.Attestation.FirmwareVersion, c.Attestation.PINPolicy, c.Attestation.TouchPolicy}]++
		}
	}
	for k, n := range alike {
		out.Proofs.Keys = append(out.Proofs.Keys, report.ProofCount{Firmware: k.firmware, PINPolicy: k.pin, TouchPolicy: k.touch, Count: n})
	}
	slices.SortFunc(out.Proofs.Keys, func(a, b report.ProofCount) int {
		name := func(p report.ProofCount) string { return p.Firmware + "/" + p.PINPolicy + "/" + p.TouchPolicy }
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(name(a), name(b)))
	})
	out.Proofs.Keys = firstOf(out.Proofs.Keys)
}

// countWeeks walks the calendar week by week.
func (m *fleet) countWeeks(out *report.OrganizationReport, of func(*int64) bool) {
	for day := monday; len(out.Weeks) < 26; day = day.AddDate(0, 0, 7) {
		week := report.WeekCount{Start: day.Format("2006-01-02")}
		for _, c := range m.certificates {
			if of(c.OrganizationID) && c.Live(question.Now) && !c.NotAfter.Before(day) && c.NotAfter.Before(day.AddDate(0, 0, 7)) {
				week.Count++
			}
		}
		out.Weeks = append(out.Weeks, week)
	}
}

func (m *fleet) countPeople(out *report.OrganizationReport, of func(*int64) bool) {
	has := map[int64]bool{}
	for _, d := range m.devices {
		if d.OwnerID != nil && d.Status != hwkey.Lost && d.Status != hwkey.Retired {
			has[*d.OwnerID] = true
		}
	}
	for _, u := range m.users { // in the order of their ids
		if !of(u.OrganizationID) || !u.IsActive || has[u.ID] {
			continue
		}
		out.Tokenless.Count++
		if out.Tokenless.Count <= int64(question.ListLimit) {
			out.Tokenless.Users = append(out.Tokenless.Users, report.TokenlessUser{ID: u.ID, Username: u.Username, Name: u.Name, Email: u.Email})
		}
	}
}
