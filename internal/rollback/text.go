package rollback

import (
	"fmt"
	"strings"
	"time"
)

// kinds says what is missing, for people: one, and several.
var kinds = map[What][2]string{
	Epochs: {
		"the latest state: it is one step behind (a step is ten minutes, or a start or stop of a server)",
		"the latest state: it is %d steps behind (a step is ten minutes, or a start or stop of a server)",
	},
	CRLNumbers:  {"the last CRL", "the last %d CRLs"},
	Revocations: {"a revocation, which was published again", "%d revocations, which were published again"},
	Secrets:     {"the current secrets of at least one token", "the current secrets of at least %d tokens"}, // compared where they are used
	RestoreEnd: {
		"the end of a restore that stopped halfway: retry its job, or run keyward restore --resume with the same backup", "",
	},
	AuditEntries: {"an audit entry", "up to %d audit entries"},
	AuditLog:     {"the sealed audit log: the one in the database is a different one", ""},
	Certificates: {"the record of a certificate", "the records of %d certificates"},
	Releases:     {"the record of a release of secrets", "the records of %d releases of secrets"},
}

// String says what is missing, for people.
func (m Missing) String() string {
	texts, ok := kinds[m.What]
	if !ok {
		texts = [2]string{"something (" + string(m.What) + ")", "%d things (" + string(m.What) + ")"}
	}
	text := texts[0]
	if m.Count != 1 && texts[1] != "" {
		many := texts[1]
		if m.AtLeast && !strings.Contains(many, "at least") {
			many = strings.Replace(many, "%d", "at least %d", 1)
		}
		text = fmt.Sprintf(many, m.Count)
	}
	if len(m.Some) > 0 {
		text += ": " + strings.Join(m.Some, ", ")
		if int64(len(m.Some)) < m.Count {
			text += ", …"
		}
	}
	switch {
	case !m.From.IsZero() && !m.To.IsZero():
		text += fmt.Sprintf(", from %s to %s", stamp(m.From), stamp(m.To))
	case !m.To.IsZero():
		text += ", up to " + stamp(m.To)
	}
	return text
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Lines says what is missing, one item a line; none for a nil finding.
func (f *Finding) Lines() []string {
	if f == nil {
		return nil
	}
	lines := make([]string, len(f.Lacks))
	for i, m := range f.Lacks {
		lines[i] = m.String()
	}
	return lines
}
