package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// foreign are the sources of lints that do not apply to a private CA.
var foreign = map[string]string{
	"CABF_BR":       "CA/Browser Forum: certificates of public web servers",
	"CABF_EV":       "CA/Browser Forum: the same, with extended validation",
	"CABF_CS_BR":    "CA/Browser Forum: public certificates for code",
	"CABF_SMIME_BR": "CA/Browser Forum: public certificates for mail",
	"Mozilla":       "a program's own roots, among which a private CA is not",
	"Apple":         "a program's own roots, among which a private CA is not",
	"Chrome":        "a program's own roots, among which a private CA is not",
	"ETSI_ESI":      "qualified certificates of the European Union",
}

// excused are lints of other sources that we violate, each with its reason.
var excused = map[string]string{
	"w_distribution_point_missing_ldap_or_uri": httpsSite,
	"w_ext_aia_access_location_missing":        httpsSite,
}

const (
	httpsSite = "the specification derives the addresses from the site's, which is https; the e2e tests hold them letter by letter"
)

// zlint returns the path of the tool, building it if necessary.
var zlint = sync.OnceValues(func() (string, error) {
	var complaint bytes.Buffer
	build := exec.Command("../../scripts/tool", "--path", "zlint")
	build.Stderr = &complaint
	path, err := build.Output()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, complaint.String())
	}
	return strings.TrimSpace(string(path)), nil
})

// judge returns zlint's findings in certificates and lists (PEM or DER, by a name for
// the reader), each as one line.
func judge(t *testing.T, things map[string][]byte) []string {
	t.Helper()
	tool, err := zlint()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	for name, raw := range things {
		files = append(files, name)
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var complaint bytes.Buffer
	run := exec.CommandContext(t.Context(), tool, files...) // #nosec G204 -- what we built
	run.Dir, run.Stderr = dir, &complaint
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	var all []struct{ File, Lint, Source, Result, Says string }
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range all {
		if foreign[f.Source] == "" && excused[f.Lint] == "" {
			found = append(found, fmt.Sprintf("%s: %s %s (%s): %s", f.File, f.Result, f.Lint, f.Source, f.Says))
		}
	}
	return found
}
