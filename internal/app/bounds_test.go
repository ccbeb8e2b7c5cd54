package app_test

import (
	"testing"

	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/store"
)

// TestAnsweredInTime: a request whose check and whose write PostgreSQL holds up
// for as long as they wait is answered still.
func TestAnsweredInTime(t *testing.T) {
	t.Parallel()
	if all := store.CheckWithin + store.WriteWithin; all >= httpapi.WriteTimeout {
		t.Errorf("they take %v, and the answer must be out within %v", all, httpapi.WriteTimeout)
	}
}
