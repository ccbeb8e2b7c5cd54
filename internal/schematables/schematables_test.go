package schematables_test

import (
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/schematables"
)

func TestParentsFirst(t *testing.T) {
	t.Parallel()
	list := []schematables.Table{
		{Name: "a", Parents: []string{"c", "b"}},
		{Name: "b", Parents: []string{"b", "c", "elsewhere"}}, // itself, and one missing in the list
		{Name: "c"},
		{Name: "d"},
	}
	var names []string
	for _, table := range schematables.TopologicalOrder(list) {
		names = append(names, table.Name)
	}
	if want := []string{"c", "b", "a", "d"}; !slices.Equal(names, want) {
		t.Errorf("the order is %v, want %v", names, want)
	}
}
