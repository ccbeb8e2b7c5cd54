package backend

import "time"

// OlderSide is what a database or vault lacks that was put back.
type OlderSide struct {
	FoundAt time.Time `json:"found_at"`
	Lacks   []Lacking `json:"lacks" nullable:"false"`
}

// Lacking is what it lacks of one kind.
type Lacking struct {
	What  string     `json:"what" doc:"epochs, crl_numbers, revocations, secrets; later versions may know more"`
	Count int64      `json:"count"`
	Some  []string   `json:"some" nullable:"false" doc:"the first of them by their names: serial numbers of certificates, or tokens"`
	From  *time.Time `json:"from" nullable:"true"`
	To    *time.Time `json:"to" nullable:"true"`
	Text  string     `json:"text" doc:"all of it, for people, in English"`
}
