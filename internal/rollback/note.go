package rollback

import "context"

// Start compares everything, once, before anybody is let in; if neither side is
// older, it records in both how far the other has come. It may be called until it returns nil.
func (g *Guard) Start(ctx context.Context) error {
	g.starting.Lock()
	defer g.starting.Unlock()
	if g.started.Load() {
		return nil
	}
	if err := g.Compare(ctx); err != nil {
		return err
	}
	if g.now().consistent() {
		if err := g.establish(ctx); err != nil {
			return err
		}
	}
	g.started.Store(true)
	return nil
}

// establish records in the database how far the vault is now.
func (g *Guard) establish(ctx context.Context) error {
	ca, number, err := g.CRL.Number(ctx)
	if err != nil {
		return err
	}
	if err := g.Database.RaiseVaultMark(ctx, CRLMark(ca), number); err != nil {
		return err
	}
	return g.note(ctx, true)
}

// Ready returns VaultUnavailable before Start.
func (g *Guard) Ready(context.Context) error {
	if !g.started.Load() {
		return errNotCompared
	}
	return nil
}

// Round raises the vault's epoch, every RoundEvery, unless one side is older.
func (g *Guard) Round(ctx context.Context) error { return present(g.round(ctx, false)) }

// Stop is a server's last round: its marks are settled at once.
func (g *Guard) Stop(ctx context.Context) error { return present(g.round(ctx, true)) }

func (g *Guard) round(ctx context.Context, atOnce bool) error {
	if !g.started.Load() {
		return nil
	}
	if err := g.poll(ctx, false); err != nil || !g.Consistent() {
		return err
	}
	return g.note(ctx, atOnce)
}

// note raises the epoch, in the vault first.
func (g *Guard) note(ctx context.Context, atOnce bool) error {
	epoch, err := g.raiseEpoch(ctx)
	if err != nil {
		return err
	}
	if err := g.Database.RaiseVaultMark(ctx, epochMark, epoch); err != nil {
		return err
	}
	return g.Database.AgeVaultMarks(ctx, atOnce)
}

// raiseEpoch raises it in the vault, above the highest value ever seen.
func (g *Guard) raiseEpoch(ctx context.Context) (uint64, error) {
	marks, err := g.Database.VaultMarks(ctx)
	if err != nil {
		return 0, err
	}
	r, err := changeRecord(ctx, g.Vault, func(r *record) bool {
		r.Epoch = max(r.Epoch, marks[epochMark].Value) + 1
		return true
	})
	return r.Epoch, err
}
