package objstore

import (
	"cmp"
	"context"
	"io"
	"slices"
)

// Newest returns the latest backups by the time in their names, newest first, at
// most limit of those older than the key after (empty: from the newest), and their
// total number. It holds few more in memory than it returns.
func Newest(ctx context.Context, s Store, limit int, after string) (latest []Object, total int, err error) {
	at := func(o Object) int64 {
		n, _ := ParseName(s.Prefix(), o.Key)
		return n.At.Unix()
	}
	order := func(a, b Object) int { return cmp.Or(cmp.Compare(at(b), at(a)), cmp.Compare(b.Key, a.Key)) }
	trim := func() {
		slices.SortFunc(latest, order)
		latest = latest[:min(len(latest), limit)]
	}
	err = s.Each(ctx, func(o Object) error {
		total++
		if after != "" && order(o, Object{Key: after}) <= 0 {
			return nil
		}
		if latest = append(latest, o); len(latest) >= 2*limit+64 {
			trim()
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	trim()
	return latest, total, nil
}

// Head reads at most the first n bytes of an object; -1 reads all.
func Head(ctx context.Context, s Store, key string, n int64) ([]byte, error) {
	r, err := s.Open(ctx, key, 0, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
