package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/middleware"
)

// TestInvalidBodies: which bodies are refused, and under which name.
func TestInvalidBodies(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	const secret = "hunter2hunter2"
	for _, tc := range []struct{ body, field, code string }{
		{``, "body", "required"},
		{`null`, "body", `wrong_type {"type":"object"}`},
		{`[]`, "body", `wrong_type {"type":"object"}`},
		{`"` + secret + `"`, "body", `wrong_type {"type":"object"}`},
		{`{}`, "name", "required"},
		{`{"name":`, "body", "not_json"},
		{`{"name":"x"} {}`, "body", "not_json"},
		{`{"name":"x",}`, "body", "not_json"},
		{`{'name':'x'}`, "body", "not_json"},
		{`{"name":NaN}`, "body", "not_json"},
		{"\ufeff" + `{"name":"x"}`, "body", "not_json"},
		{`{"name":"x","name":"y"}`, "name", "duplicate_field"},
		{`{"name":"x","n\u0061me":"y"}`, "name", "duplicate_field"},
		{`{"name":"x","more":{"a":"1","a":"2"}}`, "more.a", "duplicate_field"},
		{`{"name":"x","Name":"y"}`, "Name", "unknown_field"},
		{`{"NAME":"x"}`, "NAME", "unknown_field"},
		{`{"name":"x","` + "nam\u0435" + `":"y"}`, "nam\u0435", "unknown_field"},
		{`{"name":"x","surprise":"` + secret + `"}`, "surprise", "unknown_field"},
		{`{"name":"x","inner":{"A":1,"B":"` + secret + `"}}`, "inner.B", "unknown_field"},
		{`{"name":"x\u0000"}`, "name", "nul_character"},
		{`{"name":"x","more":{"a\u0000":"b"}}`, "more", "nul_character"},
		{"{\"name\":\"\xff\"}", "body", "not_utf8"},
		{`{"name":1}`, "name", `wrong_type {"type":"string"}`},
		{`{"name":""}`, "name", `too_short {"min":1}`},
		{`{"name":"` + secret + secret + `"}`, "name", `too_long {"max":20}`},
		{`{"name":"x","password":"` + secret + secret + `"}`, "password", `too_long {"max":20}`},
		{`{"name":"x","password":["` + secret + `"]}`, "password", `wrong_type {"type":"string"}`},
		{`{"name":"x","kind":"` + secret + `"}`, "kind", `not_one_of {"values":["a","b"]}`},
		{`{"name":"X"}`, "name", "bad_form"},
		{`{"name":"x","wait":"` + secret + `"}`, "wait", `bad_format {"format":"duration"}`},
		{`{"name":"x","email":"` + secret + `"}`, "email", `bad_format {"format":"email"}`},
		{`{"name":"x","count":101}`, "count", `too_large {"max":100}`},
		{`{"name":"x","count":1.5}`, "count", `wrong_type {"type":"integer"}`},
		{`{"name":"x","count":"7"}`, "count", `wrong_type {"type":"integer"}`},
		{`{"name":"x","id":99999999999999999999}`, "id", "bad_value"},
		{`{"name":"x","id":1e400}`, "id", "bad_value"},
		{`{"name":"x","tags":["a","b","c"]}`, "tags", `too_many {"max":2}`},
		{`{"name":"x","more":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, "body", `too_deep {"max":32}`},
		{strings.Repeat("[", 1_000_000), "body", `too_deep {"max":32}`},
		{strings.Repeat(`{"a":`, 100_000), "body", `too_deep {"max":32}`},
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
		if doc.Code != "invalid_request" || !hasField(doc.Errors, tc.field, tc.code) {
			t.Errorf("%s: want %s %q, got %s", shown, tc.field, tc.code, res.Text)
		}
		if strings.Contains(res.Text, "hunter2") {
			t.Errorf("%s: the value is echoed: %s", shown, res.Text)
		}
	}
}

// hasField looks for a field's code, followed by its params as JSON.
func hasField(fields []fault.Field, name, code string) bool {
	for _, f := range fields {
		got := f.Code
		if len(f.Params) > 0 {
			params, _ := json.Marshal(f.Params)
			got += " " + string(params)
		}
		if f.Field == name && got == code && f.Message != "" {
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
	if n := len(res.Document(t).Errors); n != 20 {
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
	for query, code := range map[string]string{
		"limit=0": `too_small {"min":1}`, "limit=501": `too_large {"max":500}`, "limit=x": `wrong_type {"type":"integer"}`,
		"limit=1.5": `wrong_type {"type":"integer"}`, "limit=99999999999999999999": `wrong_type {"type":"integer"}`, "limit=1%00": `wrong_type {"type":"integer"}`,
	} {
		res := do(t, "POST", url+"/api/test/public?"+query, `{"name":"x"}`, asJSON...)
		if doc := res.Document(t); res.StatusCode != http.StatusBadRequest || !hasField(doc.Errors, "limit", code) {
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

// TestBodyLimit: exactly 1 MiB passes, a byte more does not, however the length is
// declared.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	const head, tail = `{"name":"x"`, `}`
	for _, tc := range []struct {
		size, status int
		chunked      bool
	}{
		{middleware.MaxBody, 200, false}, {middleware.MaxBody + 1, 413, false},
		{middleware.MaxBody, 200, true}, {middleware.MaxBody + 1, 413, true},
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
