package license_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
)

// plain is a well-formed license file; its signature is by no key.
var plain = `{"license":{"customer_email":"it@example.com","customer_name":"Example Ltd","expiry_date":"2027-01-01T00:00:00Z",` +
	`"installation_id":"` + strings.Repeat("A", 43) + `=","issue_date":"2026-01-01T00:00:00Z","license_type":"enterprise"},` +
	`"signature":"` + strings.Repeat("A", 86) + `=="}`

// TestMalformed: anything but a license file is refused, naming the wrong field.
func TestMalformed(t *testing.T) {
	t.Parallel()
	replaced := func(old, with string) string {
		if !strings.Contains(plain, old) {
			t.Fatalf("no %s in the file", old)
		}
		return strings.Replace(plain, old, with, 1)
	}
	for name, c := range map[string]struct{ text, field, code string }{
		"empty":                  {"", "file", "not_json"},
		"no JSON":                {"license", "file", "not_json"},
		"another after it":       {plain + plain, "file", "not_json"},
		"a mark before it":       {"\ufeff" + plain, "file", "not_json"},
		"not UTF-8":              {replaced("Example", "Ex\xffmple"), "file", "not_utf8"},
		"half a character":       {replaced("Example", `\ud800`), "file", "not_json"},
		"a list":                 {"[" + plain + "]", "file", "wrong_type"},
		"null":                   {"null", "license", "required"},
		"too large":              {plain + strings.Repeat(" ", license.MaxFile), "file", "too_large_file"},
		"unknown beside":         {replaced(`"license":`, `"key":1,"license":`), "key", "not_in_license"},
		"unknown within":         {replaced(`"license_type":`, `"seats":"9","license_type":`), "license.seats", "not_in_license"},
		"another case":           {replaced(`"license_type":`, `"License_Type":"x","license_type":`), "license.License_Type", "not_in_license"},
		"a name that misleads":   {replaced(`"license_type":`, `"a\u202eb`+strings.Repeat("x", 200)+`":1,"license_type":`), "license.a?b" + strings.Repeat("x", 97), "not_in_license"},
		"twice":                  {replaced(`"license_type":`, `"license_type":"a","license_type":`), "license.license_type", "duplicate_field"},
		"a number for a license": {`{"license":1,"signature":""}`, "license", "wrong_type"},
		"no license at all":      {`{"signature":""}`, "license", "required"},
		"null for a license":     {`{"license":null,"signature":""}`, "license", "wrong_type"},
		"a number":               {replaced(`"enterprise"`, `1`), "license.license_type", "wrong_type"},
		"null for a text":        {replaced(`"enterprise"`, `null`), "license.license_type", "bad_name"},
		"an empty text":          {replaced(`"Example Ltd"`, `""`), "license.customer_name", "bad_name"},
		"two lines":              {replaced(`"Example Ltd"`, `"a\nb"`), "license.customer_name", "bad_name"},
		"too long":               {replaced(`"Example Ltd"`, `"`+strings.Repeat("é", 201)+`"`), "license.customer_name", "bad_name"},
		"a short ID":             {replaced(`"AAAA`, `"`), "license.installation_id", "bad_installation_id"},
		"a date alone":           {replaced(`"2027-01-01T00:00:00Z"`, `"2027-01-01"`), "license.expiry_date", "bad_format"},
		"no such day":            {replaced(`"2027-01-01T00:00:00Z"`, `"2027-02-29T00:00:00Z"`), "license.expiry_date", "bad_format"},
		"a number for a date":    {replaced(`"2027-01-01T00:00:00Z"`, `1798761600`), "license.expiry_date", "wrong_type"},
		"the same moment":        {replaced(`"2027-01-01T00:00:00Z"`, `"2026-01-01T01:00:00+01:00"`), "license.expiry_date", "not_after_issue"},
		"no signature":           {replaced(`,"signature":"`+strings.Repeat("A", 86)+`=="`, ``), "signature", "not_base64"},
		"not padded":             {replaced(strings.Repeat("A", 86)+`==`, strings.Repeat("A", 86)), "signature", "not_base64"},
		"a line end in base64":   {replaced(strings.Repeat("A", 86)+`==`, strings.Repeat("A", 86)+`\n==`), "signature", "not_base64"},
		"of the web":             {replaced(strings.Repeat("A", 86)+`==`, strings.Repeat("_", 86)+`==`), "signature", "not_base64"},
	} {
		_, err := license.Parse([]byte(c.text))
		rejected, ok := errors.AsType[*license.Rejected](err)
		if !ok || rejected.Reason != license.ReasonMalformed || !fault.Is(err, fault.LicenseRejected) || len(rejected.Fault.Fields) == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f := rejected.Fault.Fields[0]; f.Field != c.field || f.Code != c.code {
			t.Errorf("%s: %s %s, want %s %s", name, f.Field, f.Code, c.field, c.code)
		}
	}
	if f, err := license.Parse([]byte(plain)); err != nil || string(f.Text()) != plain {
		t.Errorf("%s (%v), want %s", f.Text(), err, plain)
	}
}

// TestEverythingThatIsWrong: one error names all wrong fields.
func TestEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := license.Parse([]byte(`{"license":{}}`))
	if rejected, ok := errors.AsType[*license.Rejected](err); !ok || len(rejected.Fault.Fields) != 7 {
		t.Errorf("%v", err)
	}
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	one := strings.Repeat("A", 43) + "="
	for text, want := range map[string]int{"": 0, " , ": 0, one: 1, " " + one + " ,\n" + one + ",": 2} {
		if keys, err := license.ParseKeys(text); err != nil || len(keys) != want {
			t.Errorf("%q: %d keys (%v), want %d", text, len(keys), err, want)
		}
	}
	for _, text := range []string{"x", one[4:], one + one, one + ";" + one, strings.TrimSuffix(one, "="), one + ",x"} {
		if keys, err := license.ParseKeys(text); err == nil {
			t.Errorf("%q: %d keys", text, len(keys))
		}
	}
	if keys, err := license.BuiltIn(); err != nil || len(keys) != 0 {
		t.Errorf("a test is built with %d keys (%v)", len(keys), err)
	}
}

// FuzzParse: an accepted file has one canonical form, which is accepted, too.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{plain, strings.ToUpper(plain), `{"license":{},"signature":""}`, "[]", " " + plain + "\n", plain + "{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := license.Parse(text)
		if err != nil {
			if rejected, ok := errors.AsType[*license.Rejected](err); !ok || rejected.Reason != license.ReasonMalformed {
				t.Errorf("%v", err)
			}
			return
		}
		again, err := license.Parse(file.Text())
		if err != nil || !bytes.Equal(again.Text(), file.Text()) || again.License.ExpiryDate.Compare(file.License.IssueDate) <= 0 {
			t.Errorf("%s, then %s (%v)", file.Text(), again.Text(), err)
		}
	})
}
