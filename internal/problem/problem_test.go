package problem_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
)

// TestEveryCodeHasAStatus: a code declared without a status would silently become a 500.
func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../fault/code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		codes++
		if status := problem.Status(fault.Code(code)); (status == 500) != (code == "internal") {
			t.Errorf("%s has status %d", code, status)
		}
		return true
	})
	if codes < 30 {
		t.Errorf("only %d codes were found", codes)
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, want string
		err        error
		retry      string
	}{
		{"fault", `{"type":"about:blank","title":"Conflict","status":409,"detail":"There is one.","code":"conflict","request_id":"r1"}`,
			fault.New(fault.Conflict, "", "There is one.").With(errors.New("UNIQUE constraint")), ""},
		{"fields", `{"type":"about:blank","title":"Bad Request","status":400,"detail":"The request has an invalid field: a is below 2.","code":"invalid_request","request_id":"r1","errors":[{"field":"a","code":"too_few","params":{"min":2},"message":"is below 2"}]}`,
			fault.Invalid(fault.Wrongf("a", "too_few", "is below {min}", fault.Params{"min": 2})), ""},
		{"params", `{"type":"about:blank","title":"Conflict","status":409,"detail":"More than 2.","code":"conflict","request_id":"r1","params":{"max":2,"reason":"full"}}`,
			fault.Newf(fault.Conflict, "full", "More than {max}.", fault.Params{"max": 2}), ""},
		{"a param that is no JSON", `{"type":"about:blank","title":"Conflict","status":409,"detail":"x","code":"conflict","request_id":"r1"}`,
			fault.Newf(fault.Conflict, "x", "x", fault.Params{"max": math.Inf(1)}), ""},
		{"member", `{"code":"wrong_pin","detail":"No.","request_id":"r1","retries_left":2,"status":422,"title":"Unprocessable Entity","type":"about:blank"}`,
			fault.New(fault.WrongPIN, "", "No.").WithExtra("retries_left", 2), ""},
		{"a member cannot replace", `{"code":"conflict","detail":"x","request_id":"r1","status":409,"title":"Conflict","type":"about:blank"}`,
			fault.New(fault.Conflict, "", "x").WithExtra("status", 200).WithExtra("code", "ok").WithExtra("request_id", ""), ""},
		{"a member that is no JSON", `{"type":"about:blank","title":"Conflict","status":409,"detail":"x","code":"conflict","request_id":"r1"}`,
			fault.New(fault.Conflict, "", "x").WithExtra("n", math.NaN()), ""},
		{"wait", "", fault.New(fault.RateLimited, "", "x").After(1500 * time.Millisecond), "2"},
		{"wait of our choice", "", fault.New(fault.VaultUnavailable, "", "x"), "5"},
		{"no wait elsewhere", "", fault.New(fault.Conflict, "", "x").After(time.Hour), ""},
	} {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Length", "999")
		problem.From(tc.err, "r1").Write(w)
		if got := strings.TrimSuffix(w.Body.String(), "\n"); tc.want != "" && got != tc.want {
			t.Errorf("%s: %s", tc.name, cmp.Diff(tc.want, got))
		}
		if got := w.Header().Get("Retry-After"); got != tc.retry {
			t.Errorf("%s: Retry-After %q", tc.name, got)
		}
		if w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Cache-Control") != "no-store" ||
			w.Header().Get("Content-Length") != "" {
			t.Errorf("%s: %v", tc.name, w.Header())
		}
	}
}

// TestInternalSaysNothing: the texts of foreign errors, internal faults and
// unknown codes never reach the client.
func TestInternalSaysNothing(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		io.ErrUnexpectedEOF, errors.New("hunter2"), fault.New(fault.Internal, "", "hunter2").WithExtra("hunter2",
			"hunter2"), fault.New("hunter2", "", "hunter2"),
	} {
		d := problem.From(err, "r1")
		raw, jsonErr := json.Marshal(d)
		if jsonErr != nil || d.Status != 500 || d.Code != fault.Internal || d.RequestID != "r1" || strings.Contains(string(raw), "hunter2") {
			t.Errorf("%v: %s", err, raw)
		}
	}
}
