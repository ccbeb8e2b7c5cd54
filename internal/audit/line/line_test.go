package line_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
)

func ptr[T any](v T) *T { return &v }

var full = audit.Entry{
	ID: 7, At: time.Date(2026, 5, 4, 12, 30, 0, 120000, time.UTC), Action: "backup.completed", Outcome: audit.Success, ActorID: ptr(int64(3)),
	Actor: "alex", OrganizationID: ptr(int64(2)), TargetType: "backup", TargetID: "k", Hostname: "ws-1", IPAddress: "192.0.2.1",
	RequestID: "r", Reason: "=ticket; 1", Details: "say \"hi\",\n\ttab\x00 naïve", FileName: "f.enc", BackupType: "full", DurationMS: ptr(
		int64(15)), SizeBytes: ptr(int64(1 << 40)),
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const want = `{"id":7,"at":"2026-05-04T12:30:00.00012Z","action":"backup.completed","outcome":"success","actor_id":3,"actor":"alex",` +
		`"organization_id":2,"target_type":"backup","target_id":"k","hostname":"ws-1","ip_address":"192.0.2.1","request_id":"r",` +
		`"reason":"=ticket; 1","details":"say \"hi\",\n\u0009tab\u0000 naïve","file_name":"f.enc","backup_type":"full","duration_ms":15,"size_bytes":1099511627776}`
	if d := cmp.Diff(want, string(line.AppendJSON(nil, &full))); d != "" {
		t.Error(d)
	}
	const empty = `{"id":0,"at":"1970-01-01T00:00:00Z","action":"","outcome":"","actor_id":null,"actor":"","organization_id":null,` +
		`"target_type":"","target_id":"","hostname":"","ip_address":"","request_id":"","reason":"","details":"","file_name":"","backup_type":"",` +
		`"duration_ms":null,"size_bytes":null}`
	if d := cmp.Diff(empty, string(line.AppendJSON(nil, &audit.Entry{At: time.Unix(0, 0)}))); d != "" {
		t.Error(d)
	}
}

// TestAnyTextAsJSON: a JSON reader gets any text back, and it is one line.
func TestAnyTextAsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		out := line.AppendJSON(nil, &audit.Entry{Details: text})
		var got struct{ Details string }
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		// Every invalid UTF-8 byte becomes one U+FFFD, as in encoding/json.
		want := string([]rune(text))
		if got.Details != want || bytes.ContainsAny(out, "\r\n\x00\x7f") {
			t.Fatalf("%q became %q", text, out)
		}
	})
}

// runs finds formulas after what some spreadsheets take for the end of a cell.
var runs = regexp.MustCompile("([;\t\r\n][\" ]*)([=+@＝＋－＠-])")

func TestAnyTextAsCSV(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := []string{
			rapid.StringOf(rapid.RuneFrom([]rune("=+-@＝＋－＠\t\r\n'\",; a"))).Draw(t, "special"), rapid.String().Draw(t,
				"text"), rapid.String().Draw(t, "more"),
		}
		out := line.AppendCSV([]byte(line.CSVHeader), &audit.Entry{Actor: texts[0], Reason: texts[1], Details: texts[2]})
		rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%v in %q", err, out)
		}
		for i, text := range texts {
			got := rows[1][[]int{5, 12, 13}[i]]
			if got != "" && strings.ContainsRune("=+-@＝＋－＠\t\r\n", []rune(got)[0]) || runs.MatchString(got) {
				t.Fatalf("a spreadsheet would run %q", got)
			}
			// The reader turns \r\n into \n.
			want := strings.ReplaceAll(text, "\r\n", "\n")
			want = runs.ReplaceAllString(want, "$1'$2")
			if got != want && got != "'"+want {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

func TestCSV(t *testing.T) {
	t.Parallel()
	e := full
	e.Actor, e.Hostname, e.Details, e.SizeBytes = "=1+1", "@x", "-2, \"three\";=4", nil
	const want = "7,2026-05-04T12:30:00.00012Z,backup.completed,success,3,'=1+1,2,backup,k,'@x,192.0.2.1,r," +
		"\"'=ticket; 1\",\"'-2, \"\"three\"\";'=4\",f.enc,full,15,\r\n"
	if d := cmp.Diff(want, string(line.AppendCSV(nil, &e))); d != "" {
		t.Error(d)
	}
}

// TestFormulasAreDefused: including the full-width forms, which a spreadsheet takes
// for the others.
func TestFormulasAreDefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠SUM(A1)": "'＠SUM(A1)",
		"a;＝1": "\"a;'＝1\"", "a＝1": "a＝1", "１": "１", "\xef\xbc": "\xef\xbc",
	} {
		if got := string(line.AppendCell(nil, text)); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
