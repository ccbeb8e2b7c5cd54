package arch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var writeErrors = flag.Bool("write-errors", false, "write api/errors.json instead of comparing it")

// catalogue is api/errors.json: every sentence of a problem, and every one of a backup
// job.
type catalogue struct{ Problems, Fields, Jobs []entry }

// entry is one sentence of a problem, or one message of a field.
type entry struct {
	Code   string   `json:"code"`
	Reason string   `json:"reason,omitempty"` // in params; empty if the code has only one sentence
	Params []string `json:"params"`
	Text   string   `json:"text"`
	Of     []string `json:"of"` // the programs that send it: agent, backend
}

// TestErrorCatalogue compares api/errors.json with the source. It checks what
// translators and clients rely on: an identifier names one sentence, and its params
// suffice to render it.
func TestErrorCatalogue(t *testing.T) {
	t.Parallel()
	dir := root(t)
	programs := map[string]string{"agent": "./cmd/keyward-agent", "backend": "./cmd/keyward"}
	of := map[string][]string{} // by package
	for _, program := range slices.Sorted(maps.Keys(programs)) {
		for _, p := range deps(t, "", programs[program]) {
			if p.own() && !covers("internal/client", p.path()) { // the client sends no responses
				of[p.path()] = append(of[p.path()], program)
			}
		}
	}
	s := newSentences(t, filepath.Join(dir, "internal/fault/code.go"))
	for _, pkg := range slices.Sorted(maps.Keys(of)) {
		files, err := filepath.Glob(filepath.Join(dir, pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			s.read(file, of[pkg])
		}
	}
	for _, wrong := range s.wrong {
		t.Error(wrong)
	}
	for _, wrong := range conflicts(s.problems, s.fields, s.jobs) {
		t.Error(wrong)
	}
	made := encode(t, catalogue{sorted(s.problems), sorted(s.fields), sorted(s.jobs)})
	path := filepath.Join(dir, "api/errors.json")
	if *writeErrors {
		if err := os.WriteFile(path, made, 0o644); err != nil { // #nosec G306 -- it is committed
			t.Fatal(err)
		}
	}
	if committed, err := os.ReadFile(path); err != nil || !bytes.Equal(committed, made) { // #nosec G304 -- in this module
		t.Errorf("api/errors.json is not current; run go generate ./test/arch (%v)", err)
	}
}

// sorted merges equal entries from several places.
func sorted(all []entry) []entry {
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Text, b.Text))
	})
	out := []entry{}
	for _, e := range all {
		last := len(out) - 1
		if last < 0 || out[last].Code != e.Code || out[last].Reason != e.Reason || out[last].Text != e.Text {
			out = append(out, e)
			continue
		}
		out[last].Of = union(out[last].Of, e.Of)
		out[last].Params = slices.DeleteFunc(out[last].Params, func(p string) bool { return !slices.Contains(e.Params, p) })
	}
	return out
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// encode writes each sentence on its own line, for review.
func encode(t *testing.T, c catalogue) []byte {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	list := func(name string, entries []entry) {
		fmt.Fprintf(&out, "%q: [\n", name)
		for i, e := range entries {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := enc.Encode(e); err != nil {
				t.Fatal(err)
			}
		}
		out.WriteByte(']')
	}
	out.WriteByte('{')
	list("problems", c.Problems)
	out.WriteByte(',')
	list("fields", c.Fields)
	out.WriteByte(',')
	list("jobs", c.Jobs)
	out.WriteString("}\n")
	if !json.Valid(out.Bytes()) {
		t.Fatal("the catalogue is no JSON")
	}
	return out.Bytes()
}

// conflicts reports identifiers with two sentences, and sentences with two identifiers.
func conflicts(lists ...[]entry) []string {
	var wrong []string
	for _, list := range lists {
		list = sorted(slices.Clone(list))
		sentences := map[string]int{}
		texts, ids := map[string]string{}, map[string]string{}
		for _, e := range list {
			sentences[e.Code]++
			id := e.Code + "/" + e.Reason
			if text, ok := texts[id]; ok {
				wrong = append(wrong, id+" stands for two sentences: "+text+" | "+e.Text)
			}
			if other, ok := ids[e.Code+e.Text]; ok {
				wrong = append(wrong, e.Text+" has two names: "+other+", "+id)
			}
			texts[id], ids[e.Code+e.Text] = e.Text, id
		}
		for _, e := range list {
			if e.Reason == "" && sentences[e.Code] > 1 {
				wrong = append(wrong, e.Code+" has several sentences, and this one has no reason: "+e.Text)
			}
		}
	}
	return wrong
}
