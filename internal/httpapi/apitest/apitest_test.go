package apitest

import (
	"fmt"
	"testing"
)

// TestContractCompiles: every schema of the committed contract is a schema,
// and refers to nothing that is not there.
func TestContractCompiles(t *testing.T) {
	t.Parallel()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var walk func(pointer string, node any)
	schemas := 0
	walk = func(pointer string, node any) {
		switch node := node.(type) {
		case map[string]any:
			for name, child := range node {
				at := pointer + "/" + escape(name)
				if name == "schema" {
					schemas++
					if _, err := c.compile(at); err != nil {
						t.Errorf("%s: %v", at, err)
					}
					continue
				}
				walk(at, child)
			}
		case []any:
			for i, child := range node {
				walk(fmt.Sprintf("%s/%d", pointer, i), child)
			}
		}
	}
	walk("/paths", c.doc["paths"])
	if schemas < 50 {
		t.Errorf("only %d schemas were found", schemas)
	}
}
