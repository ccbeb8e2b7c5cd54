package license_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/test/must"
)

// vectors is testdata/vectors.json, which vectors.py made.
type vectors struct {
	PublicKeys []string `json:"public_keys"`
	Files      []struct {
		Name, Text, Canonical string
		Authentic             bool
		Fields                map[string]string
	}
}

func readVectors(t *testing.T) (v vectors, keys license.Keys) {
	t.Helper()
	must.OK(t, json.Unmarshal(must.Get(os.ReadFile("testdata/vectors.json"))(t), &v))
	return v, must.Get(license.ParseKeys(strings.Join(v.PublicKeys, ",")))(t)
}

// TestVectorsAreOfTheOtherProgram: the committed file is what the script makes.
func TestVectorsAreOfTheOtherProgram(t *testing.T) {
	t.Parallel()
	made, err := exec.CommandContext(t.Context(), "/usr/bin/python3", "-B", "testdata/vectors.py").Output()
	if err != nil {
		t.Fatalf("scripts/install-deps test installs what is needed: %v", err)
	}
	if committed, err := os.ReadFile("testdata/vectors.json"); err != nil || !bytes.Equal(made, committed) {
		t.Errorf("testdata/vectors.json is not what vectors.py writes (%v)", err)
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	v, keys := readVectors(t)
	for _, want := range v.Files {
		f, err := license.Parse([]byte(want.Text))
		if err != nil {
			t.Errorf("%s: %v", want.Name, err)
			continue
		}
		if _, err := keys.Verify(f); (err == nil) != want.Authentic || err != nil && !errors.Is(err, license.ErrSignature) {
			t.Errorf("%s: %v, want authentic: %v", want.Name, err, want.Authentic)
		}
		if got, err := license.Canonical([]byte(want.Text)); err != nil || !bytes.Contains(got, []byte(want.Canonical)) ||
			!bytes.Contains(f.Text(), []byte(want.Canonical)) {
			t.Errorf("%s: %s (%v), want %s", want.Name, got, err, want.Canonical)
		}
		if got := fieldsOf(t, f.License, want.Fields); got != "" {
			t.Errorf("%s: %s", want.Name, got)
		}
	}
}

// fieldsOf returns the name of a field that was read differently than written.
func fieldsOf(t *testing.T, l license.License, want map[string]string) string {
	t.Helper()
	for name, got := range map[string]string{
		"installation_id": l.InstallationID, "customer_name": l.CustomerName, "customer_email": l.CustomerEmail, "license_type": l.LicenseType,
	} {
		if got != want[name] {
			return name + " is " + got
		}
	}
	for name, got := range map[string]time.Time{"issue_date": l.IssueDate, "expiry_date": l.ExpiryDate} {
		if !got.Equal(must.Get(time.Parse(time.RFC3339Nano, want[name]))(t)) {
			return name + " is " + got.String()
		}
	}
	return ""
}

// TestMutations: a license with any change is refused: each character of each field,
// each field as a whole, each bit of the signature.
func TestMutations(t *testing.T) {
	t.Parallel()
	v, keys := readVectors(t)
	accepted := func(text string) bool {
		f, err := license.Parse([]byte(text))
		if err != nil {
			return false
		}
		_, err = keys.Verify(f)
		return err == nil
	}
	tries := 0
	for _, file := range v.Files {
		if file.Name != "plain" && file.Name != "of all the world" {
			continue
		}
		f := must.Get(license.Parse([]byte(file.Text)))(t)
		text := string(f.Text())
		if !accepted(text) {
			t.Fatalf("%s: refused as it is", file.Name)
		}
		refuse := func(what, changed string) {
			tries++
			if changed == text || accepted(changed) {
				t.Errorf("%s: %s: accepted: %s", file.Name, what, changed)
			}
		}
		for name, value := range file.Fields {
			field := `"` + name + `":` + string(must.Get(license.Canonical(must.Get(json.Marshal(value))(t)))(t))
			for i := range len(field) {
				mutated := []byte(field)
				mutated[i] ^= 1
				refuse(name, strings.Replace(text, field, string(mutated), 1))
			}
			refuse(name+" left out", strings.Replace(strings.Replace(text, field+",", "", 1), ","+field, "", 1))
			refuse(name+" empty", strings.Replace(text, field, `"`+name+`":""`, 1))
			refuse(name+" of another license", strings.Replace(text, field, `"`+name+`":"2028-01-01T00:00:00Z"`, 1))
		}
		_, rest, _ := strings.Cut(text, `"signature":"`)
		encoded := strings.TrimSuffix(rest, `"}`)
		signature := must.Get(base64.StdEncoding.DecodeString(encoded))(t)
		for bit := range 8 * len(signature) {
			if file.Name != "plain" {
				break
			}
			mutated := bytes.Clone(signature)
			mutated[bit/8] ^= 1 << (bit % 8)
			refuse("signature", strings.Replace(text, encoded, base64.StdEncoding.EncodeToString(mutated), 1))
		}
		refuse("signature cut", strings.Replace(text, encoded, base64.StdEncoding.EncodeToString(signature[:63]), 1))
	}
	if tries < 1000 {
		t.Errorf("only %d tries", tries)
	}
}
