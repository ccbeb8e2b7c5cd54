package s3_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/objstoretest"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, server *s3server.Server) {
		objstoretest.Run(t, func(t *testing.T) objstoretest.Harness {
			o := optionsOn(t, server)
			return objstoretest.Harness{
				Open: func(t *testing.T, prefix string) objstore.Store {
					own := o
					own.Prefix = prefix
					return open(t, own)
				},
				Fetch:        fetch,
				Fill:         func(t *testing.T, keys []string) { fill(t, server, o, keys) },
				Abandon:      func(t *testing.T, key string) { must.OK(t, open(t, o).Begin(t.Context(), key)) },
				SweepsItself: server != s3server.Shared(t),
			}
		})
	})
}

func fill(t *testing.T, server *s3server.Server, o s3.Options, keys []string) {
	t.Helper()
	if server == s3server.Shared(t) {
		server.Fill(t, o.Bucket, keys)
		return
	}
	s := open(t, o)
	for _, key := range keys {
		must.Get(s.Put(t.Context(), key, strings.NewReader("")))(t)
	}
}

// An endpoint with an untrusted certificate is accepted on request.
func TestInsecureTLS(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Endpoint, o.InsecureTLS = s3server.Shared(t).TLS, true
	must.Get(objstore.Probe(t.Context(), open(t, o)))(t)
}
