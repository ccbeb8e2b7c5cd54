package chain

import "context"

// Ends is the end of the chain on each side.
type Ends struct {
	Vault    Head // the newest in the vault; zero: none
	Database Head // of the database's last batch, unsigned; zero: none
	// Other means that the database has as many batches as the vault knows, or more, but
	// different ones.
	Other bool
}

// Behind reports whether the database ends before the vault's head.
func (e Ends) Behind() bool { return e.Database.Batch < e.Vault.Batch }

// Ends reads the ends of the chain, the vault's head first: the database has what
// that names, unless it was restored. VaultUnavailable, DatabaseUnavailable.
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

// knownBatch returns the batch at the position of a head that is not above the last;
// zero if it is gone.
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
