package vault

import "context"

// Guarded is a KV for what people ask for: Check, which answers a fault, is
// asked just before every write. Nothing is written when it objects. Removing
// a path is no write: it follows a change of the database that was checked.
type Guarded struct {
	KV
	Check func(context.Context) error
}

// Put implements KV.
func (g Guarded) Put(ctx context.Context, path string, data Data, cas int) (int, error) {
	if err := g.Check(ctx); err != nil {
		return 0, err
	}
	return g.KV.Put(ctx, path, data, cas)
}
