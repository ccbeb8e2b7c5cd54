package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
)

// TestInvalidBodies: what is refused, and by which name.
func TestInvalidBodies(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	const secret = "hunter2hunter2"
	for _, tc := range []struct{ body, field, message string }{
		{``, "body", "is required"},
		{`null`, "body", "must be object"},
		{`[]`, "body", "must be object"},
		{`"` + secret + `"`, "body", "must be object"},
		{`{}`, "name", "is required"},
		{`{"name":`, "body", "is not valid JSON"},
		{`{"name":"x"} {}`, "body", "is not valid JSON"},
		{`{"name":"x",}`, "body", "is not valid JSON"},
		{`{'name':'x'}`, "body", "is not valid JSON"},
		{`{"name":NaN}`, "body", "is not valid JSON"},
		{"\ufeff" + `{"name":"x"}`, "body", "is not valid JSON"},
		{`{"name":"x","name":"y"}`, "name", "is there more than once"},
		{`{"name":"x","n\u0061me":"y"}`, "name", "is there more than once"},
		{`{"name":"x","more":{"a":"1","a":"2"}}`, "more.a", "is there more than once"},
		{`{"name":"x","Name":"y"}`, "Name", "is not a field of this request"},
		{`{"NAME":"x"}`, "NAME", "is not a field of this request"},
		{`{"name":"x","` + "nam\u0435" + `":"y"}`, "nam\u0435", "is not a field of this request"},
		{`{"name":"x","surprise":"` + secret + `"}`, "surprise", "is not a field of this request"},
		{`{"name":"x","inner":{"A":1,"B":"` + secret + `"}}`, "inner.B", "is not a field of this request"},
		{`{"name":"x\u0000"}`, "name", "has a character U+0000"},
		{`{"name":"x","more":{"a\u0000":"b"}}`, "more", "has a character U+0000"},
		{"{\"name\":\"\xff\"}", "body", "is not valid UTF-8"},
		{`{"name":1}`, "name", "must be string"},
		{`{"name":""}`, "name", "must have length >= 1"},
		{`{"name":"` + secret + secret + `"}`, "name", "must have length <= 20"},
		{`{"name":"x","password":"` + secret + secret + `"}`, "password", "must have length <= 20"},
		{`{"name":"x","password":["` + secret + `"]}`, "password", "must be string"},
		{`{"name":"x","kind":"` + secret + `"}`, "kind", `must be one of "a, b"`},
		{`{"name":"x","wait":"` + secret + `"}`, "wait", "must be duration"},
		{`{"name":"x","email":"` + secret + `"}`, "email", "must be RFC 5322 email"},
		{`{"name":"x","count":101}`, "count", "must be number <= 100"},
		{`{"name":"x","count":1.5}`, "count", "must be integer"},
		{`{"name":"x","count":"7"}`, "count", "must be integer"},
		{`{"name":"x","id":99999999999999999999}`, "id", "is out of range or of the wrong type"},
		{`{"name":"x","id":1e400}`, "body", "is not valid JSON, or a number in it is out of range"},
		{`{"name":"x","tags":["a","b","c"]}`, "tags", "must have array length <= 2"},
		{`{"name":"x","more":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, "body", "is nested too deeply"},
		{strings.Repeat("[", 1_000_000), "body", "is nested too deeply"},
		{strings.Repeat(`{"a":`, 100_000), "body", "is nested too deeply"},
	} {
		res := do(t, "POST", url+"/api/test/public", tc.body, asJSON...)
		shown := tc.body
		if len(shown) > 100 {
			shown = shown[:100] + "…"
		}
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d %s", shown, res.StatusCode, res.Text)
			continue
		}
		doc := res.Document(t)
		if doc.Code != "invalid_request" || !hasField(doc.Errors, tc.field, tc.message) {
			t.Errorf("%s: want %s %q, got %s", shown, tc.field, tc.message, res.Text)
		}
		if strings.Contains(res.Text, "hunter2") {
			t.Errorf("%s: the value is echoed: %s", shown, res.Text)
		}
	}
}

func hasField(fields []fault.Field, name, message string) bool {
	for _, f := range fields {
		if f.Field == name && f.Message == message {
			return true
		}
	}
	return false
}

// TestEveryInvalidFieldIsNamed, in a stable order.
func TestEveryInvalidFieldIsNamed(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for range 5 {
		res := do(t, "POST", url+"/api/test/public?limit=501", `{"kind":"c","zebra":1,"count":-1.5,"apple":2}`, asJSON...)
		var got []string
		for _, f := range res.Document(t).Errors {
			got = append(got, f.Field)
		}
		if diff := cmp.Diff([]string{"apple", "count", "kind", "limit", "name", "zebra"}, got); diff != "" {
			t.Fatal(diff)
		}
	}
	many := `{"name":"x"`
	for i := range 1000 {
		many += `,"f` + strconv.Itoa(i) + `":1`
	}
	res := do(t, "POST", url+"/api/test/public", many+"}", asJSON...)
	if n := len(res.Document(t).Errors); n != maxFields {
		t.Errorf("%d fields are named", n)
	}
	res = do(t, "POST", url+"/api/test/public", `{"name":"x","`+strings.Repeat("y", 5000)+`\n\u0007":1}`, asJSON...)
	if doc := res.Document(t); len(doc.Errors) != 1 || len(doc.Errors[0].Field) > 110 || strings.ContainsAny(doc.Errors[0].Field, "\n\a") {
		t.Errorf("a name that the client made up: %s", res.Text)
	}
}

func TestQueryParameters(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for query, message := range map[string]string{
		"limit=0": "must be number >= 1", "limit=501": "must be number <= 500", "limit=x": "must be an integer",
		"limit=1.5": "must be an integer", "limit=99999999999999999999": "must be an integer", "limit=1%00": "must be an integer",
	} {
		res := do(t, "POST", url+"/api/test/public?"+query, `{"name":"x"}`, asJSON...)
		if doc := res.Document(t); res.StatusCode != http.StatusBadRequest || !hasField(doc.Errors, "limit", message) {
			t.Errorf("%s: %s", query, res.Text)
		}
	}
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for _, tc := range []struct {
		headers []string
		status  int
	}{
		{[]string{"Content-Type", "application/json"}, 200},
		{[]string{"Content-Type", "application/json; charset=utf-8"}, 200},
		{[]string{"Content-Type", "Application/JSON;charset=UTF-8"}, 200},
		{nil, 415},
		{[]string{"Content-Type", ""}, 415},
		{[]string{"Content-Type", "text/plain"}, 415},
		{[]string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{[]string{"Content-Type", "multipart/form-data; boundary=x"}, 415},
		{[]string{"Content-Type", "application/jsonp"}, 415},
		{[]string{"Content-Type", "application/problem+json"}, 415},
		{[]string{"Content-Type", "text/plain, application/json"}, 415},
		{[]string{"Content-Type", "application/json; charset=utf-16"}, 415},
		{[]string{"Content-Type", "application/json; charset"}, 415},
		{[]string{"Content-Type", "application/json", "Content-Type", "application/json"}, 415},
		{[]string{"Content-Type", "application/json", "Content-Encoding", "gzip"}, 415},
	} {
		res := do(t, "POST", url+"/api/test/public", `{"name":"x"}`, tc.headers...)
		if res.StatusCode != tc.status {
			t.Errorf("%q: %d %s", tc.headers, res.StatusCode, res.Text)
		}
		if tc.status == 415 && res.Document(t).Code != "unsupported_media_type" {
			t.Errorf("%q: %s", tc.headers, res.Text)
		}
	}
}

// TestBodyLimit: exactly 1 MiB passes, a byte more does not, however its
// length is told.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	const head, tail = `{"name":"x"`, `}`
	for _, tc := range []struct {
		size, status int
		chunked      bool
	}{
		{DefaultMaxBody, 200, false}, {DefaultMaxBody + 1, 413, false}, {DefaultMaxBody, 200, true}, {DefaultMaxBody + 1, 413, true},
	} {
		body := head + strings.Repeat(" ", tc.size-len(head)-len(tail)) + tail
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+"/api/test/public", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if tc.chunked {
			req.ContentLength = -1
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tc.status {
			t.Errorf("%+v: %d", tc, res.StatusCode)
		}
	}
}
