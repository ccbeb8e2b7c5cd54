// Package profile says what certificates are for: each has a profile, which decides its key usages,
// its names, and which slots, keys and people may have it (certificates.md, "Profiles").
//
//	sign-csr ──profile──▶ Certificate profiles ──names, usages──▶ vault.PKI
//	            or the slot's, by the settings of the organization, then of the installation
//
// The built-in profiles are part of the program. What an administrator sets is in the vault: whoever
// writes to the database can't change what a profile allows. Whose tokens may have it is judged by the
// database's rows, as their owners are.
//
//	certificate_profiles/installation       slots and plan
//	certificate_profiles/organization_{id}  what an organization has instead
//	certificate_profiles/custom             the profiles that administrators made
//
// An entry of the audit log is durable before the vault has the change; if the vault then refuses
// it, a second entry says so.
//
// Package cert uses it. Routes: /api/certificate-profiles, /api/admin/profiles,
// /api/admin/settings/slot-profiles, /api/admin/organizations/{id}/slot-profiles.
package profile
