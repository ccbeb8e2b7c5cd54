package vault

import "context"

// Guarded is a KV for user requests: Check, which returns a fault, runs just before every write and
// can prevent it. Removing a path is not checked: it follows a database change that was.
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
