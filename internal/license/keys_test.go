package license

import (
	"os"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestBuiltWith: the linker sets the keys by this variable's name, and does not fail
// when no variable has that name.
func TestBuiltWith(t *testing.T) {
	const name = "github.com/keyward/keyward/internal/license.publicKeys="
	if script := must.Get(os.ReadFile("../../scripts/build"))(t); !strings.Contains(string(script), "-X "+name+"$keys") {
		t.Error("scripts/build does not set " + name)
	}
	defer func(before string) { publicKeys = before }(publicKeys)
	one := strings.Repeat("A", 43) + "="
	publicKeys = one + "," + one
	if keys := must.Get(BuiltIn())(t); len(keys) != 2 {
		t.Errorf("%d keys", len(keys))
	}
	publicKeys = "x"
	if keys, err := BuiltIn(); err == nil {
		t.Errorf("%d keys", len(keys))
	}
}
