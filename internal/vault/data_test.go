package vault_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/vault"
)

const hidden = "s3cr3t-value"

// TestEncode: a text that would come back changed is refused, and no error
// repeats a value.
func TestEncode(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"not UTF-8": map[string]string{"a": hidden + "\xff"}, "key not UTF-8": map[string]int{hidden + "\xff": 1},
		"channel": map[string]any{hidden: make(chan int)}, "not a number": map[string]any{"a": complex(1, 2)},
	} {
		data, err := vault.Encode(v)
		if !errors.Is(err, vault.ErrInvalid) || strings.Contains(err.Error(), hidden) {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	data, err := vault.Encode(map[string]string{"a": hidden})
	if err != nil || data.Check() != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprintf("%v %s %q %x %#v %+v", data, data, data, data, data, vault.Version{Data: data})
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("text", "data", data, "version", vault.Version{Data: data})
	slog.New(slog.NewJSONHandler(&log, nil)).Info("json", "data", data, "version", vault.Version{Data: data})
	text, err := json.Marshal(map[string]any{"data": data, "version": vault.Version{Data: data}})
	if err != nil {
		t.Error(err)
	}
	shown += log.String() + string(text)
	for _, form := range []string{hidden, fmt.Sprintf("%x", hidden), base64.StdEncoding.EncodeToString(data)} {
		if strings.Contains(shown, form) {
			t.Errorf("it prints itself: %s", shown)
		}
	}
	var number struct {
		A int `json:"a"`
	}
	if err := data.Decode(&number); err == nil || strings.Contains(err.Error(), hidden) {
		t.Errorf("a text read as a number: %v", err)
	}
}

func TestSameDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[true,null]}`, `{ "b" : [true, null], "a" : 1 }`, true},
		{`{"a":"\u0041"}`, `{"a":"A"}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
	} {
		if got := vault.Data(c.a).Same(vault.Data(c.b)); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
