package secret_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/secret"
)

const plain = "hunter2-271828"

// TestNothingShowsIt: however a secret is printed, alone, nested or by pointer,
// its text does not appear.
func TestNothingShowsIt(t *testing.T) {
	t.Parallel()
	type holder struct {
		PIN  secret.String
		Ptr  *secret.String
		Many []secret.String
		Map  map[string]secret.String
		Any  any
	}
	s := secret.New(plain)
	values := []any{s, &s, []secret.String{s}, holder{s, &s, []secret.String{s}, map[string]secret.String{"a": s}, s}}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10s", "%-5.3s", "%T %v"} {
			args := []any{v}
			if strings.Count(verb, "%") == 2 {
				args = append(args, v)
			}
			if shown := fmt.Sprintf(verb, args...); shows(shown) {
				t.Errorf("%s of %T shows it: %s", verb, v, shown)
			}
		}
		if raw, err := json.Marshal(v); err != nil || shows(string(raw)) {
			t.Errorf("JSON of %T: %s, %v", v, raw, err)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		if shows(log.String()) {
			t.Errorf("the log of %T shows it: %s", v, log.String())
		}
		if err := fmt.Errorf("x: %v", v); shows(err.Error()) || shows(errors.Join(err).Error()) {
			t.Errorf("the error of %T shows it", v)
		}
	}
	if raw, err := xml.Marshal(s); err != nil || shows(string(raw)) {
		t.Errorf("XML: %s, %v", raw, err)
	}
	if shown := fmt.Sprint(secret.String{}); shown != fmt.Sprint(s) {
		t.Errorf("an empty secret can be told from another: %s", shown)
	}
}

// shows looks for the text in plain and in hex.
func shows(text string) bool {
	return strings.Contains(text, "hunter2") || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", "hunter2"))
}

func TestReadAndCompare(t *testing.T) {
	t.Parallel()
	var in struct{ PIN secret.String }
	if err := json.Unmarshal([]byte(`{"PIN":"12\u00345"}`), &in); err != nil || in.PIN.Reveal() != "1245" {
		t.Errorf("%q, %v", in.PIN.Reveal(), err)
	}
	if err := json.Unmarshal([]byte(`{"PIN":1234}`), &in); err == nil {
		t.Error("a number is taken for a secret")
	}
	if !in.PIN.Equal(secret.New("1245")) || in.PIN.Equal(secret.New("1244")) || in.PIN.Equal(secret.New("12450")) ||
		in.PIN.Equal(secret.String{}) {
		t.Error("Equal does not tell secrets apart")
	}
	if in.PIN.Empty() || !(secret.String{}).Empty() || !secret.New("").Empty() {
		t.Error("Empty")
	}
}
