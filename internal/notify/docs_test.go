package notify_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/test/must"
)

// TestDocs compares the table in docs/notifications.md with the code's.
func TestDocs(t *testing.T) {
	t.Parallel()
	ways := map[notify.Choice]string{notify.Always: "always", notify.On: "unless turned off"}
	var b strings.Builder
	b.WriteString("| Kind | About | To | By mail |\n|---|---|---|---|\n")
	for _, row := range notify.Table {
		way := ways[row.Choice]
		if row.MailOnly {
			way += ", and not on the page"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Kind, row.Of, row.To, way)
	}
	if page := string(must.Get(os.ReadFile("../../docs/notifications.md"))(t)); !strings.Contains(page, "\n"+b.String()+"\n") {
		t.Errorf("docs/notifications.md does not have this table:\n%s", b.String())
	}
}
