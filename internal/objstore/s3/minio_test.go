//go:build exhaustive

package s3_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// MinIO without a KMS refuses to encrypt by any method.
func TestMinIOWithoutKMS(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{"AES256", "aws:kms"} {
		o := optionsOn(t, s3server.MinIO(t))
		o.Encryption.Algorithm = algorithm
		encryptsNothing(t, o)
	}
}

// A bucket may lock everything by its own rule, as with S3 and MinIO: a probe succeeds then, too.
func TestLockedByRule(t *testing.T) {
	t.Parallel()
	server := s3server.MinIO(t)
	o := optionsOn(t, server)
	o.Bucket = server.Locking(t)
	server.LockAll(t, o.Bucket)
	s := open(t, o)
	must.Get(objstore.Probe(t.Context(), s))(t)
	must.Get(s.Put(t.Context(), key, strings.NewReader("x")))(t)
	says(t, s.Delete(t.Context(), key), "backup_object_locked_until", objstore.ErrLocked)
}
