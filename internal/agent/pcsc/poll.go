//go:build windows || darwin

package pcsc

import (
	"context"
	"slices"
	"time"
)

// pollInterval is how often the system library lists the readers. Listing sends
// nothing to a reader or a card.
const pollInterval = 500 * time.Millisecond

// lister lists the system's readers. A YubiKey is reader and card in one, so a
// listed YubiKey reader holds a card.
type lister interface {
	list() ([]string, error)
	close()
}

type poller struct {
	lister
	last  []string
	asked bool
}

func (p *poller) next(ctx context.Context) ([]string, error) {
	for {
		readers, err := p.list()
		if err != nil {
			return nil, err
		}
		slices.Sort(readers)
		if !p.asked || !slices.Equal(readers, p.last) {
			p.asked, p.last = true, readers
			return slices.Clone(readers), nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// The result codes of PC/SC that matter here (winscard.h).
const (
	scardSuccess            = 0
	scardNoReadersAvailable = 0x8010002e
	scardScopeSystem        = 2
)

// maxNames bounds the list of reader names, in characters.
const maxNames = 64 << 10
