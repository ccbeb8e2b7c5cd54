package system

import (
	"context"
	"strings"
)

// FirstSteps says which first steps of an installation are done at present; undoing
// one makes it due again.
type FirstSteps struct {
	Organization bool `json:"organization" doc:"there is one"`
	People       bool `json:"people" doc:"there are more accounts than the first"`
	Token        bool `json:"token" doc:"one is registered"`
	Mail         bool `json:"mail" doc:"the server sends mail"`
	Backup       bool `json:"backup" doc:"one was made"`
	TLS          bool `json:"tls" doc:"people reach the server by https"`
}

// Beginnings reports on what people have recorded.
type Beginnings interface {
	// Begun sets Organization, People and Token. It is cheap for a database of any size.
	Begun(ctx context.Context) (FirstSteps, error)
}

// Begun reports on the first steps.
type Begun struct {
	Records Beginnings
	Mail    func(ctx context.Context) (bool, error)
	Backup  func(ctx context.Context) (bool, error)
	SiteURL string
}

// Look returns the current state.
func (b *Begun) Look(ctx context.Context) (FirstSteps, error) {
	steps, err := b.Records.Begun(ctx)
	if err != nil {
		return FirstSteps{}, err
	}
	if steps.Mail, err = b.Mail(ctx); err != nil {
		return FirstSteps{}, err
	}
	if steps.Backup, err = b.Backup(ctx); err != nil {
		return FirstSteps{}, err
	}
	steps.TLS = strings.HasPrefix(b.SiteURL, "https://")
	return steps, nil
}
