//go:build exhaustive

package restore_test

import (
	"testing"

	"github.com/keyward/keyward/test/s3server"
)

// TestLockedOnMinIO is TestLockedBucket on MinIO.
func TestLockedOnMinIO(t *testing.T) {
	t.Parallel()
	store := s3server.MinIO(t)
	staysLocked(t, store, store.Plain)
}
