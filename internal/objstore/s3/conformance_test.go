package s3_test

import (
	"testing"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/objstoretest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	objstoretest.Run(t, func(t *testing.T) objstoretest.Harness {
		o := options(t)
		return objstoretest.Harness{
			Open: func(t *testing.T, prefix string) objstore.Store {
				own := o
				own.Prefix = prefix
				return open(t, own)
			},
			Fetch:   fetch,
			Fill:    func(t *testing.T, keys []string) { s3server.Shared(t).Fill(t, o.Bucket, keys) },
			Abandon: func(t *testing.T, key string) { must.OK(t, open(t, o).Begin(t.Context(), key)) },
		}
	})
}

// An endpoint whose certificate nobody vouches for is taken when that is asked for.
func TestInsecureTLS(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Endpoint, o.InsecureTLS = s3server.Shared(t).TLS, true
	must.Get(objstore.Probe(t.Context(), open(t, o)))(t)
}
