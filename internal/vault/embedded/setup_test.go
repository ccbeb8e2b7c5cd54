package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault/embedded"
)

const publicBase = "https://keys.example.org"

// options are for a vault in dir whose CA is quick to make.
func options(dir string) embedded.Options {
	return embedded.Options{
		Path:       filepath.Join(dir, "vault"),
		Seal:       embedded.FileSeal(filepath.Join(dir, "seal", "key")),
		PublicBase: publicBase,
		CAKeyType:  piv.ECP256,
	}
}

func open(t testing.TB, opts embedded.Options) *embedded.Engine {
	t.Helper()
	e, err := embedded.Open(t.Context(), opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}
