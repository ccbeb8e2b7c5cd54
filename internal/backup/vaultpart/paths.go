package vaultpart

import (
	"strings"

	"github.com/keyward/keyward/internal/audit/chain"
)

// Class is the purpose of a vault document.
type Class string

// The classes.
const (
	Secrets       Class = "secrets"       // of a token: PIN, PUK, management key
	Releases      Class = "releases"      // the vault's log of released secrets
	Issuances     Class = "issuances"     // its log of issued certificates
	Audit         Class = "audit"         // keys to verify the seals of the audit log
	Configuration Class = "configuration" // secrets of webhooks, single sign-on and mail; certificate profiles
	Installation  Class = "installation"  // the vault's installation
	License       Class = "license"       // the license, and the ID it is issued for
	CA            Class = "ca"            // made by Read: see the package comment
	Other         Class = "other"         // not ours, or of a later version
	Own           Class = "own"           // belongs to this vault only: not in backups
)

// rows map paths to classes. {serial} is any segment without an underscore, which no
// token's serial has; * is any segment; … is any rest, or none.
var rows = []struct {
	path  string
	class Class
	why   string // for Own: why it is excluded
}{
	{"{serial}/secrets", Secrets, ""},
	{"{serial}/releases/…", Releases, ""},
	{"_releases/…", Releases, ""},
	{"_issuances/…", Issuances, ""},
	{chain.KeyPath, Own, "whoever has a backup must not be able to seal a log: a restored vault makes a new key"},
	{chain.HeadPath, Own, "goes with its key: package audit/chain, Closing"},
	{chain.ClosedPath, Audit, ""},
	{"webhook_secrets/*", Configuration, ""},
	{"oidc_settings/*", Configuration, ""},
	{"mail_settings/*", Configuration, ""},
	{"certificate_profiles/roles", Own, "which roles this vault has"},
	{"certificate_profiles/*", Configuration, ""},
	{"certificate_authorities/history", Configuration, ""},
	{"certificate_authorities/*", Own, "requests of CAs whose keys only this vault has"},
	{installationPath, Installation, ""},
	{"license/…", License, ""},
	{"_pki/…", CA, ""},
	{"_keyward/jwt", Own, "the secret of the access tokens: a restore makes a new one"},
	{"_keyward/recovery", Own, "how far this vault and its database have come: a restore begins anew"},
	{"_keyward/invitations", Own, "what invitations' links are made from: a restore ends them all"},
	{"_keyward/move", Own, "a move to another vault that is under way"},
	{"backup_settings/…", Own, "the backup's password and the storage credentials: they stay as they are"},
}

const installationPath = "_keyward/installation"

// ClassOf returns the class of a path.
func ClassOf(path string) Class {
	for _, r := range rows {
		if fits(strings.Split(r.path, "/"), strings.Split(path, "/")) {
			return r.class
		}
	}
	return Other
}

func fits(pattern, path []string) bool {
	for i, p := range pattern {
		switch {
		case p == "…":
			return true
		case i == len(path), p == "{serial}" && strings.Contains(path[i], "_"):
			return false
		case p != "{serial}" && p != "*" && p != path[i]:
			return false
		}
	}
	return len(path) == len(pattern)
}
