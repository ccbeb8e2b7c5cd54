// Package union is what a restore of a database is asked for, and what it tells. The
// engines do it (store.DB.Restore). Contract, "Backup and restore".
//
// # Over a living installation
//
// Nothing is deleted. What only one side has is there afterwards. What both have is as
// in the backup where it is configuration, and as in the living one where it is a fact
// about the world outside. Whoever could not do a thing just before cannot do it after.
// Which of these holds for a table, its policy says, with the reason.
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
	// Spare is the username or email of an active global administrator of a Living
	// installation whose account stays as it is, most often of the one who restores.
	// Empty: none. What becomes of the accounts must leave one administrator then.
	Spare string
	// Progress is told how many rows of the backup were looked at so far. It may begin
	// anew, when the database has the transaction repeated. May be nil.
	Progress func(rows int64)
}

// Why an account cannot sign in after a restore.
type Why string

// Reasons.
const (
	Disabled Why = "disabled" // it was disabled since the backup, and stays so
	Inactive Why = "inactive" // it is disabled in the backup
	Demoted  Why = "demoted"  // the backup has it with a higher role
	Moved    Why = "moved"    // the backup has it in another organization
	Absent   Why = "absent"   // it was not there just before
)

// Account is one that cannot sign in after a restore though it could in the backup, or
// just before.
type Account struct {
	ID       int64
	Username string
	Why      Why
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

// MaxAccounts is how many a report names.
const MaxAccounts = 1000

// Report is what a restore did.
type Report struct {
	Kind   Kind
	Tables []Table // in the order in which they were restored
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
