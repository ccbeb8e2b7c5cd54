package archive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// TestPasswordRule: 12 to 1024 characters, in any number of bytes; no error quotes one.
func TestPasswordRule(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"": false, "elevenchars": false, "twelve chars": true, strings.Repeat("é", 12): true, strings.Repeat("é", 11): false,
		strings.Repeat("e\u0301", 6): false, // é, six times
		strings.Repeat("x", 1024):    true, strings.Repeat("x", 1025): false, "twelve chars\xff": false,
	} {
		_, err := archive.NewPassword(secret.New(text))
		switch {
		case good && err != nil:
			t.Errorf("%d bytes: %v", len(text), err)
		case !good && (!fault.Is(err, fault.InvalidRequest) || text != "" && strings.Contains(err.Error(), text)):
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

// TestPasswordDoesNotPrint, by itself or within another.
func TestPasswordDoesNotPrint(t *testing.T) {
	t.Parallel()
	p := archive.TypedPassword(secret.New("hunter2-271828"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if shown := fmt.Sprintf(verb+verb, p, struct{ P archive.Password }{p}); strings.Contains(shown, "hunter2") ||
			strings.Contains(shown, fmt.Sprintf("%x", "hunter2")) {
			t.Errorf("%s shows it: %s", verb, shown)
		}
	}
}

// TestCreateKeepsTheRule: a password that may open a backup cannot always create one.
func TestCreateKeepsTheRule(t *testing.T) {
	t.Parallel()
	file := &memory{}
	_, err := archive.Create(file, archive.TypedPassword(secret.New("short")), archive.NewHeader(archive.Full, when, true))
	if !fault.Is(err, fault.InvalidRequest) || len(file.bytes) > 0 {
		t.Errorf("%d bytes, %v", len(file.bytes), err)
	}
}
