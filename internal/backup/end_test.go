package backup

import (
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/test/must"
)

// TestFailureInGerman: the notice of a failed job has its cause in a translatable form.
func TestFailureInGerman(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 1, 0, 0, 0, time.UTC)
	told := endRecord(Job{Kind: Backup, Status: Failed, CreatedAt: at, FinishedAt: &at, ErrorMessage: errStopped.text}).Notices[0]
	m := must.Get(text.Render(told.Kind, told.Params, text.German, time.UTC))(t)
	if got := m.String(); !strings.HasSuffix(got, "Der Server wurde gestoppt, während der Auftrag lief. Starten Sie ihn erneut.") {
		t.Error(got)
	}
}
