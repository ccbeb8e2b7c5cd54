package chain

import "context"

// Ends are the ends of the chain on both sides.
type Ends struct {
	Vault    Head // the newest that the vault knows; zero: none
	Database Head // of the database's last batch, unsigned; zero: none
	// Other: the database has come as far as the vault knows, but by other
	// batches.
	Other bool
}

// Behind tells whether the database has not come as far as the vault knows.
func (e Ends) Behind() bool { return e.Database.Batch < e.Vault.Batch }

// Ends reads where the chain ends, the vault's head first: what that names, the
// database has, unless it was put back. VaultUnavailable, DatabaseUnavailable.
func (s *Sealer) Ends(ctx context.Context) (e Ends, err error) {
	head, err := readHead(ctx, s.Vault)
	if err != nil {
		return e, err
	}
	e.Vault = head.Head
	last, err := s.lastBatch(ctx)
	if err != nil {
		return e, err
	}
	e.Database = Head{Segment: last.Segment, Batch: last.ID, LastID: last.LastID, SealedAt: last.SealedAt, Hash: last.Hash}
	if head.Batch == 0 || e.Behind() {
		return e, nil
	}
	known, err := s.knownBatch(ctx, head.Head, last)
	e.Other = err == nil && !known.covers(&head.Head)
	return e, err
}

// knownBatch is the batch in the place of a head that is not above the last; a
// zero one when it is gone.
func (s *Sealer) knownBatch(ctx context.Context, head Head, last Batch) (Batch, error) {
	if last.ID == head.Batch {
		return last, nil
	}
	list, err := s.Store.AuditBatches(ctx, head.Batch-1, 1)
	if err != nil || len(list) == 0 {
		return Batch{}, err
	}
	return list[0], nil
}
