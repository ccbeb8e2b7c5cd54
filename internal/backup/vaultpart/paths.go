package vaultpart

import (
	"strings"

	"github.com/keyward/keyward/internal/audit/chain"
)

// Class is what a document of the vault is for.
type Class string

// The classes.
const (
	Secrets       Class = "secrets"       // of a token: PIN, PUK, management key
	Releases      Class = "releases"      // what the vault logged of secrets that left
	Issuances     Class = "issuances"     // what it logged of certificates
	Audit         Class = "audit"         // by what the seals of the audit log are verified
	Configuration Class = "configuration" // secrets of webhooks, of single sign-on, of mail
	Installation  Class = "installation"  // whose the vault is
	License       Class = "license"       // the license, and the ID that it is issued for
	CA            Class = "ca"            // made by Read: see the package comment
	Other         Class = "other"         // none of ours, or of a later version's
	Own           Class = "own"           // of this vault alone: it stays out of backups
)

// rows say which paths have which class. A segment {serial} is any without an
// underscore, which no token's serial has; * is any; … is what follows, if anything.
var rows = []struct {
	path  string
	class Class
	why   string // of Own: why it stays out
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

// ClassOf is the class of a path.
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
