package arch

import (
	"strings"
	"testing"
)

// Each rule for sentences is tried on a call that breaks it and on one that does not.
func TestSentences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, want string }{
		"fine":              {`fault.New(fault.Conflict, "full", "It is full.")`, ""},
		"alone":             {`fault.New(fault.Conflict, "", "It is " + "full.")`, ""},
		"several":           {`fault.New(fault.Conflict, "", "One."); fault.New(fault.Conflict, "b", "Two.")`, "several sentences"},
		"computed":          {`fault.New(fault.Conflict, "full", text)`, "written out"},
		"a code of its own": {`fault.New(code, "full", "It is full.")`, "written out"},
		"dashes":            {`fault.New(fault.Conflict, "is-full", "It is full.")`, "snake_case"},
		"two sentences":     {`fault.New(fault.Conflict, "a", "One."); fault.New(fault.Conflict, "a", "Two.")`, "stands for two"},
		"two names":         {`fault.New(fault.Conflict, "a", "One."); fault.New(fault.Conflict, "b", "One.")`, "has two names"},
		"repeated":          {`fault.New(fault.Conflict, "a", "One."); fault.New(fault.Conflict, "a", "One.")`, ""},
		"a param":           {`fault.Newf(fault.Conflict, "a", "At most {max}.", fault.Params{"max": 1})`, ""},
		"a param before":    {`p := fault.Params{"max": 1}; fault.Newf(fault.Conflict, "a", "At most {max}.", p)`, ""},
		"no param":          {`fault.Newf(fault.Conflict, "a", "At most {max}.", fault.Params{"min": 1})`, "{max} is no param"},
		"no params":         {`fault.New(fault.Conflict, "a", "At most {max}.")`, "{max} is no param"},
		"a field":           {`fault.Wrongf("f", "a", "at most {max}", fault.Params{"max": 1})`, ""},
		"no field's param":  {`fault.Wrong("f", "a", "at most {max}")`, "{max} is no param"},
		"a job's":           {`fault.Sayf("done", "{n} rows", fault.Params{"n": 1}); fault.Say("other", "Other.")`, ""},
		"no job's param":    {`fault.Say("done", "{n} rows")`, "{n} is no param"},
		"a job's, twice":    {`fault.Say("done", "One."); fault.Say("done", "Two.")`, "stands for two"},
		"a job's, by hand":  {`_ = fault.Sentence{Code: "done"}`, "by hand"},
		"English alone":     {`_ = fault.Sentence{Text: "Done."}`, ""},
		"by hand":           {`_ = fault.Field{Field: "f"}`, "by hand"},
		"by hand, a fault":  {`_ = &fault.Error{}`, "by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sentences{codes: map[string]string{"Conflict": "conflict"}}
			s.parse("a.go", []byte("package a\nfunc f() {"+c.body+"}\n"), []string{"backend"})
			all := strings.Join(append(s.wrong, conflicts(s.problems, s.fields, s.jobs)...), "; ")
			if c.want == "" && all != "" || !strings.Contains(all, c.want) {
				t.Errorf("got %q, want %q", all, c.want)
			}
		})
	}
}
