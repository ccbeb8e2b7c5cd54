package csvrows_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/csvrows"
	"github.com/keyward/keyward/internal/fault"
)

// tokens is the format of a file of tokens.
var tokens = csvrows.Format{
	Columns: []string{"serial", "label", "model", "firmware_version", "form_factor", "owner", "organization"},
	Needs:   []string{"serial"}, Max: 100,
}

func TestParse(t *testing.T) {
	t.Parallel()
	whole := strings.Join(tokens.Columns, ",")
	for _, c := range []struct {
		name, file string
		want       []string // "line: cells"
	}{
		{"all columns", whole + "\nA1234,l,m,5.4.3,ff,o,g\n", []string{"2: A1234|l|m|5.4.3|ff|o|g"}},
		{"serials alone", "serial\n1234\n5678", []string{"2: 1234||||||", "3: 5678||||||"}},
		{"another order", "owner,serial,label\no,1234,l\n", []string{"2: 1234|l||||o|"}},
		{"byte order mark and CRLF", "\xef\xbb\xbfserial,label\r\n1234,ä\r\n", []string{"2: 1234|ä|||||"}},
		{"semicolons of German Excel", "\xef\xbb\xbfserial;label\r\n1234;a, b\r\n5678;\"c; d\"\r\n",
			[]string{"2: 1234|a, b|||||", "3: 5678|c; d|||||"}},
		{"commas, and a semicolon in a cell", "serial,label\n1234,a;b;c\n", []string{"2: 1234|a;b;c|||||"}},
		{"spaces around", " serial , label \n 1234 ,  a b \n", []string{"2: 1234|a b|||||"}},
		{"quotes", "serial,label\n\"1234\",\"a, \"\"b\"\"\nc\"\n5678,x\n", []string{"2: 1234|a, \"b\"\nc|||||", "4: 5678|x|||||"}},
		{"empty lines", "serial,label\n\n1234,x\n\n,\n5678,\n", []string{"3: 1234|x|||||", "6: 5678||||||"}},
		{"header alone", whole + "\n", nil},
		{"too few cells", "serial,label\n1234\n", []string{"2: 1234||||||"}},
		{"more cells, all empty", "serial,label\n1234,a,, \n", []string{"2: 1234|a|||||"}},
		{"too many cells", "serial,label\n1234,a,b\n", []string{"2: 1234|a||||| row"}},
		{"Excel's line for the separator", "\xef\xbb\xbfsep=;\r\nserial;label\r\n1234;a, b\r\n", []string{"3: 1234|a, b|||||"}},
		{"the same for a tab, and quoted", "\"SEP=\t\"\nserial\tlabel\n1234\tx\n", []string{"3: 1234|x|||||"}},
		{"a header with capitals", "Serial,LABEL\n1234,x\n", []string{"2: 1234|x|||||"}},
		{"nameless columns, empty", "serial,,label,\n1234,,x,\n", []string{"2: 1234|x|||||"}},
		{"two texts in nameless columns, and a cell too many", "serial,,\n1234,y,z,x\n", []string{"2: 1234|||||| row row row"}},
		{"text in a nameless column", "serial,,label\n1234,y,x\n", []string{"2: 1234|x||||| row"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows, err := tokens.Parse([]byte(c.file))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range rows {
				line := fmt.Sprintf("%d: %s", r.Line, strings.Join(r.Cells, "|"))
				for _, b := range r.Bad {
					line += " " + b.Field
				}
				got = append(got, line)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, code, says string }{
		{"nothing", "", "no_header", "serial, label"},
		{"tabs", "serial\tlabel\n", "no_commas", ""},
		{"an unknown column", "serial,colour\n", "unknown_column", `"colour"`},
		{"a column twice", "serial,label,Serial\n", "repeated_column", "serial"},
		{"no serial", "label,owner\n", "missing_column", "serial"},
		{"not UTF-8", "serial,label\n1234,\xe4\n", "not_utf8_file", ""},
		{"UTF-16", "\xff\xfes\x00e\x00", "not_utf8_file", ""},
		{"a stray quote", "serial,label\n1234,a\"b\n", "bare_quote", "line 2"},
		{"an open quote", "serial,label\n1234,x\n5678,\"a\n", "open_quote", "line 3"},
		{"too many", "serial\n" + strings.Repeat("1234\n", 101), "too_many_rows", "100"},
		{"a secret that is no column", "serial," + strings.Repeat("x", 1000) + "\n", "unknown_column", `xxx…"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tokens.Parse([]byte(c.file))
			f, ok := fault.As(err)
			if !ok || len(f.Fields) != 1 || f.Fields[0].Code != c.code || !strings.Contains(f.Detail, c.says) {
				t.Errorf("got %v, want %s that says %q", err, c.code, c.says)
			}
			if len(f.Detail) > 400 {
				t.Errorf("the refusal has %d bytes", len(f.Detail))
			}
		})
	}
}

// FuzzParse: any input results in rows or a refusal; accepted rows survive
// writing by the standard library and reading again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"serial,label\n1234,x\n", "\xef\xbb\xbfserial\r\n1234\r\n", "serial;label\n", "owner,serial\n\"a\"\"b\",1234\n",
		"serial,label\n1,\"\n\"\n", "serial\n\x00\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		rows, err := tokens.Parse(file)
		if err != nil {
			if e, ok := fault.As(err); !ok || e.Code != fault.InvalidRequest || rows != nil {
				t.Fatalf("rows %v, error %v", rows, err)
			}
			return
		}
		var again bytes.Buffer
		w := csv.NewWriter(&again)
		_ = w.Write(tokens.Columns)
		last := 1
		for _, r := range rows {
			if r.Line <= last {
				t.Fatalf("line %d after %d", r.Line, last)
			}
			last = r.Line
			_ = w.Write(r.Cells)
		}
		w.Flush()
		second, err := tokens.Parse(again.Bytes())
		if err != nil {
			t.Fatalf("written again: %v", err)
		}
		cells := func(rows []csvrows.Row) (out []string) {
			for _, r := range rows {
				if line := strings.Join(r.Cells, "\x00"); strings.Trim(line, "\x00") != "" {
					out = append(out, line)
				}
			}
			return out
		}
		if !slices.Equal(cells(rows), cells(second)) {
			t.Fatalf("read %q, then %q", cells(rows), cells(second))
		}
	})
}
