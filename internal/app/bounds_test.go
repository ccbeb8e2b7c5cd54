package app_test

import (
	"testing"

	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/store"
)

// TestAnsweredInTime: a request is still answered if PostgreSQL delays its check and
// its write for their whole timeouts.
func TestAnsweredInTime(t *testing.T) {
	t.Parallel()
	if all := store.CheckWithin + store.WriteWithin; all >= httpapi.WriteTimeout {
		t.Errorf("they take %v, and the answer must be out within %v", all, httpapi.WriteTimeout)
	}
}
