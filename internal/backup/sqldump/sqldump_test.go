package sqldump_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/test/must"
)

// whole is an intact dump: every kind of value, and texts that look like the syntax around them.
const whole = `-- Keyward database, schema 7
INSERT INTO "people" ("id", "is_active", "name") VALUES (1, TRUE, 'Zoë O''Neill');
INSERT INTO "people" ("id", "is_active", "name") VALUES (-9223372036854775808, FALSE, '');
INSERT INTO "people" ("id", "is_active", "name") VALUES (9223372036854775807, NULL, 'a
-- End: 1 rows
''); \ "x" ;''');
INSERT INTO "teams_2" ("id") VALUES (0);
-- Last id of people: 12
-- End: 4 rows
`

// rows is its content.
var rows = []sqldump.Row{
	{Table: "people", Columns: []string{"id", "is_active", "name"}, Values: []any{int64(1), true, "Zoë O'Neill"}},
	{Table: "people", Columns: []string{"id", "is_active", "name"}, Values: []any{int64(math.MinInt64), false, ""}},
	{Table: "people", Columns: []string{"id", "is_active", "name"},
		Values: []any{int64(math.MaxInt64), nil, "a\n-- End: 1 rows\n'); \\ \"x\" ;'"}},
	{Table: "teams_2", Columns: []string{"id"}, Values: []any{int64(0)}},
}

func TestWriter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := must.Get(sqldump.NewWriter(&out, 7))(t)
	for _, row := range rows {
		must.OK(t, w.Write(row))
	}
	must.OK(t, w.LastID("people", 12))
	must.OK(t, w.Close())
	if out.String() != whole {
		t.Errorf("it wrote\n%s\nwant\n%s", out.String(), whole)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	r := must.Get(sqldump.NewReader(strings.NewReader(whole)))(t)
	if r.Schema() != 7 {
		t.Errorf("schema %d", r.Schema())
	}
	for i, want := range rows {
		row := must.Get(r.Next())(t)
		if row.Table != want.Table || !slices.Equal(row.Columns, want.Columns) || !slices.Equal(row.Values, want.Values) {
			t.Errorf("row %d is %+v, want %+v", i, row, want)
		}
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: %v", err)
		}
	}
	if len(r.LastIDs()) != 1 || r.LastIDs()["people"] != 12 {
		t.Errorf("last ids %v", r.LastIDs())
	}
}

// TestReaderTakes: the grammar of docs/backup-format.md, as others may write it,
// reads as the same rows.
func TestReaderTakes(t *testing.T) {
	t.Parallel()
	keywords := strings.NewReplacer("INSERT INTO", "insert  into", "VALUES", "Values", "NULL", "null", "TRUE", "true", "FALSE", "False")
	names := regexp.MustCompile(`"(people|teams_2|id|is_active|name)"`)
	for name, dump := range map[string]string{
		"a byte order mark": "\ufeff" + whole, "no end of the last line": strings.TrimSuffix(whole, "\n"),
		"blank lines and indentation": "\n\n" + strings.ReplaceAll(whole, ";\n", ";\n \t\n  ") + "\n\n",
		"keywords in any case":        keywords.Replace(whole),
		"names without quotes":        names.ReplaceAllString(whole, "$1"),
		"in capitals": names.ReplaceAllStringFunc(whole, func(n string) string {
			return strings.ToUpper(strings.Trim(n, `"`))
		}),
		"a transaction around": "BEGIN;\n" + whole + "COMMIT;\n",
		"a transaction within": strings.Replace(strings.Replace(whole,
			"schema 7\n", "schema 7\nbegin transaction;\n", 1), "-- Last", "commit;\n-- Last", 1),
		"a transaction to the id": strings.Replace("BEGIN TRANSACTION;"+whole, "-- End: 4", "COMMIT;\n-- End: 4", 1),
		"each word in a line":     strings.NewReplacer("INTO ", "INTO\n", ") VALUES (", ")\nVALUES\n(\n", `", "`, "\"\n,\n\"", ");\n", "\n)\n;\n").Replace(whole),
	} {
		r, err := sqldump.NewReader(strings.NewReader(dump))
		for i := 0; err == nil; i++ {
			var row sqldump.Row
			if row, err = r.Next(); err == nil && (row.Table != rows[i].Table ||
				!slices.Equal(row.Columns, rows[i].Columns) || !slices.Equal(row.Values, rows[i].Values)) {
				t.Errorf("%s: row %d is %+v, want %+v", name, i, row, rows[i])
			}
			if errors.Is(err, io.EOF) && (i != len(rows) || r.LastIDs()["people"] != 12) {
				t.Errorf("%s: %d rows, last ids %v", name, i, r.LastIDs())
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A line end inside a text is unchanged.
	crlf := strings.ReplaceAll(strings.ReplaceAll(whole, ";\n", ";\r\n"), "schema 7\n", "schema 7\r\n")
	r := must.Get(sqldump.NewReader(strings.NewReader(crlf)))(t)
	for _, want := range rows {
		if row := must.Get(r.Next())(t); !slices.Equal(row.Values, want.Values) {
			t.Errorf("%+v, want %+v", row, want)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// TestReaderRefuses: nothing beyond the grammar is accepted, and an error names the line.
func TestReaderRefuses(t *testing.T) {
	t.Parallel()
	change := func(old, new string) string {
		if !strings.Contains(whole, old) {
			panic(old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for name, c := range map[string]struct {
		dump string
		want error
		text string
	}{
		"nothing":                  {"", sqldump.ErrTruncated, ""},
		"something else":           {"PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", sqldump.ErrNotADump, ""},
		"a line without an end":    {strings.Repeat("x", 1<<20), sqldump.ErrNotADump, ""},
		"no schema":                {change("schema 7", "schema 0"), sqldump.ErrNotADump, ""},
		"a schema of two forms":    {change("schema 7", "schema 07"), sqldump.ErrNotADump, ""},
		"another statement":        {change(`INSERT INTO "teams_2"`, `DELETE FROM "teams_2"`), sqldump.ErrNotADump, "line 7 "},
		"two statements in a line": {change("(0);", "(0); DROP TABLE people;"), sqldump.ErrNotADump, "line 7 "},
		"a comment":                {change(`INSERT INTO "teams_2"`, "-- x\nINSERT"), sqldump.ErrNotADump, "line 7 "},
		"an expression":            {change("(0)", "(0+1)"), sqldump.ErrNotADump, "line 7 "},
		"no number":                {change("(0)", "(x)"), sqldump.ErrNotADump, "column id of teams_2"},
		"a number of two forms":    {change("(0)", "(-0)"), sqldump.ErrNotADump, ""},
		"a number too large":       {change("9223372036854775807", "9223372036854775808"), sqldump.ErrNotADump, ""},
		"a very long number":       {change("(0)", "("+strings.Repeat("1", 1000)+")"), sqldump.ErrNotADump, ""},
		"a value too few":          {change("(1, TRUE, ", "(TRUE, "), sqldump.ErrNotADump, "line 2 "},
		"a value too many":         {change("(1, TRUE, ", "(1, TRUE, 1, "), sqldump.ErrNotADump, ""},
		"no value":                 {change("(0)", "()"), sqldump.ErrNotADump, ""},
		"a name with a quote":      {change(`"teams_2"`, `"te""ams"`), sqldump.ErrNotADump, ""},
		"a name in capitals":       {change(`"teams_2"`, `"Teams"`), sqldump.ErrNotADump, ""},
		"a name too long":          {change(`"teams_2"`, `"`+strings.Repeat("t", 64)+`"`), sqldump.ErrNotADump, ""},
		"too many columns":         {change(`("id") V`, `("id"`+strings.Repeat(`, "id"`, 200)+`) V`), sqldump.ErrNotADump, ""},
		"the character zero":       {change("Zoë", "Zo\x00"), sqldump.ErrNotADump, ""},
		"no UTF-8":                 {change("Zoë", "Zo\xff"), sqldump.ErrNotADump, ""},
		"a row too few":            {change("INSERT INTO \"teams_2\" (\"id\") VALUES (0);\n", ""), sqldump.ErrTruncated, "has 3"},
		"something after the end":  {whole + "\n;", sqldump.ErrNotADump, "line 11 "},
		"a transaction that stays": {"BEGIN;\n" + whole, sqldump.ErrTruncated, ""},
		"a transaction in between": {change("INSERT INTO \"teams_2\"", "COMMIT;\nINSERT INTO \"teams_2\""), sqldump.ErrNotADump, ""},
		"two transactions":         {"BEGIN;\nBEGIN;\n" + whole + "COMMIT;\n", sqldump.ErrNotADump, ""},
		"rolled back":              {"BEGIN;\n" + whole + "ROLLBACK;\n", sqldump.ErrNotADump, ""},
		"a last id twice":          {change("12\n", "12\n-- Last id of people: 12\n"), sqldump.ErrNotADump, ""},
		"a last id below zero":     {change(": 12", ": -1"), sqldump.ErrNotADump, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := read(strings.NewReader(c.dump))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %v with %q", err, c.want, c.text)
			}
		})
	}
	for end := range len(whole) - 1 { // except the last line end
		if err := read(strings.NewReader(whole[:end])); !errors.Is(err, sqldump.ErrTruncated) {
			t.Errorf("cut off after %d bytes: %v", end, err)
		}
	}
}

// TestReaderFails: an error of the underlying reader is not one of the dump.
func TestReaderFails(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for end := range len(whole) - 1 { // except the last line end
		err := read(io.MultiReader(strings.NewReader(whole[:end]), failing{away}))
		if !errors.Is(err, away) || errors.Is(err, sqldump.ErrTruncated) || errors.Is(err, sqldump.ErrNotADump) {
			t.Fatalf("after %d bytes: %v", end, err)
		}
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]sqldump.Row{
		"no columns":         {Table: "t"},
		"a name in capitals": {Table: "T", Columns: []string{"id"}, Values: []any{nil}},
		"a name with quotes": {Table: "t", Columns: []string{`i"d`}, Values: []any{nil}},
		"a value too few":    {Table: "t", Columns: []string{"id"}},
		"another type":       {Table: "t", Columns: []string{"id"}, Values: []any{1.5}},
		"the character zero": {Table: "t", Columns: []string{"id"}, Values: []any{"\x00"}},
		"no UTF-8":           {Table: "t", Columns: []string{"id"}, Values: []any{"\xff"}},
	} {
		if err := must.Get(sqldump.NewWriter(io.Discard, 1))(t).Write(row); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := sqldump.NewWriter(io.Discard, 0); err == nil {
		t.Error("a schema of zero is taken")
	}
	full := errors.New("full")
	w := must.Get(sqldump.NewWriter(failingWriter{full}, 1))(t)
	must.OK(t, w.Write(rows[0])) // still in the buffer
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

type failingWriter struct{ error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.error }

// read reads all of a dump.
func read(from io.Reader) error {
	r, err := sqldump.NewReader(from)
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// FuzzReader: whatever is accepted, written by others too, is written as a dump that reads as the same.
func FuzzReader(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("-- Keyward database, schema 1\n-- End: 0 rows\n"))
	f.Add([]byte("-- Keyward database, schema 1\n-- End: 0 rows"))
	f.Fuzz(func(t *testing.T, dump []byte) {
		ours, ok := rewritten(t, dump)
		if !ok {
			return
		}
		if again, ok := rewritten(t, ours); !ok || !bytes.Equal(again, ours) {
			t.Errorf("%q is read and written as %q, and that as %q", dump, ours, again)
		}
	})
}

// rewritten writes what is read; not ok: it is no dump, or has several last ids, which are unordered.
func rewritten(t *testing.T, dump []byte) (ours []byte, ok bool) {
	t.Helper()
	r, err := sqldump.NewReader(bytes.NewReader(dump))
	if err != nil {
		return nil, false
	}
	var out bytes.Buffer
	w := must.Get(sqldump.NewWriter(&out, r.Schema()))(t)
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false
		}
		must.OK(t, w.Write(row))
	}
	if len(r.LastIDs()) > 1 {
		return nil, false
	}
	for table, id := range r.LastIDs() {
		must.OK(t, w.LastID(table, id))
	}
	must.OK(t, w.Close())
	return out.Bytes(), true
}

// FuzzRoundTrip: whatever is written reads as the same values.
func FuzzRoundTrip(f *testing.F) {
	f.Add("it's", int64(7), true)
	f.Add("''\n--", int64(math.MinInt64), false)
	f.Add(strings.Repeat("'x", 35_000), int64(-1), false) // longer than the buffer
	f.Fuzz(func(t *testing.T, text string, number int64, truth bool) {
		var out bytes.Buffer
		w := must.Get(sqldump.NewWriter(&out, 1))(t)
		row := sqldump.Row{Table: "t", Columns: []string{"a", "b", "c", "d"}, Values: []any{text, number, truth, nil}}
		if w.Write(row) != nil {
			return
		}
		must.OK(t, w.Close())
		got := must.Get(must.Get(sqldump.NewReader(&out))(t).Next())(t)
		if !slices.Equal(got.Values, row.Values) {
			t.Errorf("%v is read as %v", row.Values, got.Values)
		}
	})
}
