// Package restore defines what a restore of the database may do, what it reports, and
// which rows and documents of a backup are acceptable (Judge). The engines perform it
// (store.DB.Restore), and package backup runs it. Contract, "Backup and restore".
//
//	InUse         nothing is deleted. What only one side has, exists afterwards. Of what both have, names and
//	              descriptions are the backup's; what decides who may sign in, who may do what, and who owns a
//	              token, stays: nobody can do afterwards what they could not do before
//	Fresh, Empty  everything is as in the backup, but no one is signed in and no API key is valid
//
// Each table's policy says which applies, with the reason (store/restore_policies.go).
package restore

import (
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
)

// Target is what a backup is restored over.
type Target string

// Kinds.
const (
	InUse Target = "living" // the backup's installation
	Fresh Target = "fresh"  // another one, without tokens or certificates yet
	Empty Target = "bare"   // a database without rows
)

// InstallationSetting has the id of an installation, as {"id": "…"}.
const InstallationSetting = "installation"

// Options are the options of a database restore.
type Options struct {
	At time.Time
	// Entry is written in the same transaction, in the live log; the result is added to
	// its details.
	Entry audit.Entry
	// Setting, if named, gets Value in the same transaction.
	Setting string
	Value   settings.Value
	// ReplaceAll allows replacing a Fresh installation.
	ReplaceAll bool
	// Job and Runner identify the job (package backup): if it has another runner by now,
	// the transaction is rolled back. 0: no job.
	Job    int64
	Runner string
	// Progress is called with the number of rows read so far. It may restart if the
	// transaction is retried. May be nil.
	Progress func(rows int64)
}

// Account is one that comes back disabled: it was active in the backup, and did not
// exist before the restore.
type Account struct {
	ID       int64
	Username string
}

// Table is what happened to a table's rows.
type Table struct {
	Name     string
	Backup   int64 // in the backup
	Inserted int64
	Updated  int64
	Kept     int64 // earlier ones, unchanged
	Removed  int64
}

// Kept is a kind of data that both sides have and that a restore over an installation in
// use leaves unchanged.
type Kept string

// Kinds of kept data, in the order in which they are reported.
const (
	Accounts      Kept = "accounts"
	Organizations Kept = "organizations"
	Tokens        Kept = "tokens"
	SignOn        Kept = "sign_on"
	PasswordRules Kept = "password_rules"
	Mail          Kept = "mail"
	Webhooks      Kept = "webhooks"
)

// MaxAccounts is how many accounts a report names.
const MaxAccounts = 1000

// Report is the result of a restore.
type Report struct {
	Kind   Target
	Tables []Table // in the order restored
	// Kept counts the items of a kind that differ from the backup and stay.
	Kept map[Kept]int64
	// Accounts are the first MaxAccounts of AccountCount, by id.
	Accounts     []Account
	AccountCount int64
	SessionsEnded,
	KeysRevoked int64
	// Unpublished is how many revocations are to be sent to the CRL.
	Unpublished int64
	Warnings    []fault.Sentence
	Notes       []fault.Sentence // what is in order
}
