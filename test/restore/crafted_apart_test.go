//go:build exhaustive

package restore_test

import "testing"

// TestCraftedApart is TestCrafted on PostgreSQL and Vault.
func TestCraftedApart(t *testing.T) {
	t.Parallel()
	testCrafted(t, apart(t))
}
