// Package union is what a restore of a database is asked for, and what it tells. The
// engines do it (store.DB.Restore). Contract, "Backup and restore".
//
// # Over a living installation
//
// Nothing is deleted. What only one side has is there afterwards. Of what both have, names
// and descriptions are the backup's; what decides who comes in, who may do what, and
// whose a token is, stays as it is today: whoever could not do a thing just before cannot
// do it after. Which of these holds for a table, its policy says, with the reason.
//
// # On a bare machine, or over a fresh installation
//
// All is as in the backup, but that nobody is signed in and no API key counts.
package union

import (
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
)

// Kind is what a backup is restored over.
type Kind string

// Kinds.
const (
	Living Kind = "living" // the installation that the backup is of
	Fresh  Kind = "fresh"  // another, which has no tokens and no certificates yet
	Bare   Kind = "bare"   // a database without rows
)

// InstallationSetting holds the number of an installation, as {"id": "…"}.
const InstallationSetting = "installation"

// Options are what a restore of a database is asked for.
type Options struct {
	At time.Time
	// Entry is written with it, in the living log; what was done is added to its details.
	Entry audit.Entry
	// Setting, when named, gets Value in the same transaction.
	Setting string
	Value   settings.Value
	// ReplaceAll allows to replace a Fresh installation.
	ReplaceAll bool
	// Job and Runner are of the job that this is (package backup): if it is another's by now,
	// nothing is kept. 0: of none.
	Job    int64
	Runner string
	// Progress is told how many rows of the backup were looked at so far. It may begin
	// anew, when the database has the transaction repeated. May be nil.
	Progress func(rows int64)
}

// Account is one that comes back disabled: it was active in the backup, and not there just
// before.
type Account struct {
	ID       int64
	Username string
}

// Table is what became of a table's rows.
type Table struct {
	Name     string
	Backup   int64 // so many has the backup
	Inserted int64
	Updated  int64
	Kept     int64 // of those before, as they were
	Removed  int64
}

// Kept is a kind of what both sides have and a restore over a living installation leaves as
// it is today.
type Kept string

// Kinds of what is kept, in the order in which people read of them.
const (
	Accounts      Kept = "accounts"
	Organizations Kept = "organizations"
	Tokens        Kept = "tokens"
	SignOn        Kept = "sign_on"
	PasswordRules Kept = "password_rules"
	Mail          Kept = "mail"
	Webhooks      Kept = "webhooks"
)

// MaxAccounts is how many a report names.
const MaxAccounts = 1000

// Report is what a restore did.
type Report struct {
	Kind   Kind
	Tables []Table // in the order in which they were restored
	// Kept is how many of a kind the backup has otherwise than they are, and stay.
	Kept map[Kept]int64
	// Accounts are the first MaxAccounts of AccountCount, by their ids.
	Accounts     []Account
	AccountCount int64
	SessionsEnded,
	KeysRevoked int64
	// Unpublished is how many revocations are to be carried to the CRL.
	Unpublished int64
	Warnings    []fault.Sentence
	Notes       []fault.Sentence // what is as it should be
}
