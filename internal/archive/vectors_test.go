package archive_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// vector is one of testdata/vectors.json, made by write_backup.py.
type vector struct {
	Why, Password string
	File          []byte
	Code          fault.Code
	Reason        string
	SQL           string                     `json:"database_sql"`
	Secrets       map[string]json.RawMessage `json:"vault_secrets"`
}

func readVectors(t must.T) (all []vector) {
	must.OK(t, json.Unmarshal(must.Get(os.ReadFile("testdata/vectors.json"))(t), &all))
	return all
}

// key is the real key of a typed password.
func key(typed string) archive.Deriver {
	return remembered(password.Normalize(secret.New(typed)).Reveal())
}

// TestVectors: files of another program open, or are refused, as expected.
func TestVectors(t *testing.T) {
	t.Parallel()
	codes := map[fault.Code]int{}
	for _, v := range readVectors(t) {
		_, got, err := read(v.File, key(v.Password))
		codes[v.Code]++
		f, _ := fault.As(err)
		switch {
		case v.Code != "" && (f == nil || f.Code != v.Code || f.Reason != v.Reason):
			t.Errorf("%s: %v, want %s %s", v.Why, err, v.Code, v.Reason)
		case v.Code == "" && (err != nil || got.sql != v.SQL || !same(t, got.secrets, texts(v.Secrets))):
			t.Errorf("%s: does not open as it is: %v", v.Why, err)
		}
	}
	for _, code := range []fault.Code{
		"", fault.NotABackup, fault.BackupNewer, fault.BackupTruncated, fault.BackupCorrupt, fault.BackupPasswordWrong,
	} {
		if codes[code] == 0 {
			t.Errorf("no vector expects %q", code)
		}
	}
}

// TestNoWorkForNothing: faults visible at the beginning are reported before deriving a key.
func TestNoWorkForNothing(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t) {
		made := false
		derive := func(salt []byte) []byte {
			made = true
			return key(v.Password)(salt)
		}
		_, err := open(v.File, derive)
		early := v.Code == fault.NotABackup || v.Code == fault.BackupNewer || v.Code == fault.BackupTruncated || v.Reason == "header"
		if made == early {
			t.Errorf("%s: a key was derived: %v (%v)", v.Why, made, err)
		}
	}
}
