package embedded

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// nextNumber reserves a CRL number. It is durable before the list exists, so no number is ever used
// twice. The first one after a start is far ahead: the file may be a restored copy.
func (l *revokedList) nextNumber(ctx context.Context, now time.Time) (uint64, error) {
	l.mu.Lock()
	first := l.list == nil
	l.mu.Unlock()
	next := new(crlMark)
	err := l.writer.do(ctx, 0, func(t *txn) error {
		mark, err := t.crlMark(l.key)
		if err != nil {
			return err
		}
		*next = crlMark{mark.number + 1, now}
		if first && mark.number > 0 {
			made := mark.made
			if made.Unix() == 0 { // no list of this CA's
				made = time.Time{}
			}
			next.number = vault.NumberAfterRestart(mark.number, made, now)
		}
		return t.seal(bucketPKI, l.key, next.encode())
	}, nil)
	if err != nil {
		return 0, err
	}
	return next.number, nil
}
