//go:build exhaustive

package s3_test

import (
	"testing"

	"github.com/keyward/keyward/test/s3server"
)

// MinIO without a KMS refuses what is to be encrypted, whatever by.
func TestMinIOWithoutKMS(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{"AES256", "aws:kms"} {
		o := optionsOn(t, s3server.MinIO(t))
		o.Encryption.Algorithm = algorithm
		encryptsNothing(t, o)
	}
}
