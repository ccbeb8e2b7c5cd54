package backend

import "time"

// RecoveryReport is what was found of database and vault.
type RecoveryReport struct {
	Vault   *OlderSide `json:"vault" doc:"null: it is not older than the database knows it to be"`
	Altered []string   `json:"altered" nullable:"false" doc:"what someone did to the database's tables, one per line, such as: trigger quiet on audit_entries"`
}

// OlderSide is what a database or vault lacks that was put back, or null.
type OlderSide struct {
	_       struct{}  `nullable:"true"`
	FoundAt time.Time `json:"found_at"`
	Lacks   []Lacking `json:"lacks" nullable:"false"`
}

// Lacking is what it lacks of one kind.
type Lacking struct {
	What    string     `json:"what" doc:"epochs, crl_numbers, revocations, secrets, restore_end; later versions may have more"`
	Count   int64      `json:"count"`
	AtLeast bool       `json:"at_least" doc:"more than count may be missing, since it was found piece by piece"`
	Some    []string   `json:"some" nullable:"false" doc:"the first of them by their names: serial numbers of certificates, or tokens"`
	From    *time.Time `json:"from" nullable:"true"`
	To      *time.Time `json:"to" nullable:"true"`
	Text    string     `json:"text" doc:"all of it, for people, in English"`
}

// RecoverRequest accepts an older vault.
type RecoverRequest struct {
	AcceptOlder string `json:"accept_older" enum:"vault" doc:"an older database can only be accepted with keyward recover on the server"`
}
