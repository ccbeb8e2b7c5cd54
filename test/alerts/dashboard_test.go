package alerts

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/programs"
)

const dashboardFile = "../../deploy/grafana/keyward.json"

// dashboard is what the tests look at: the tool knows all the rest.
type dashboard struct {
	UID        string
	ID         *int
	Links      []struct{ URL string }
	Panels     []panel
	Templating struct{ List []variable }
}

type variable struct {
	Name  string
	Query any // of a data source its type, of others an object
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               struct{ UID string }
	Targets                  []struct{ Expr string }
	FieldConfig              struct {
		Defaults struct {
			Unit       string
			Thresholds struct{ Steps []struct{ Value *float64 } }
		}
		Overrides []any
	}
}

func read(t *testing.T) (d dashboard) {
	t.Helper()
	must.OK(t, json.Unmarshal(must.Get(os.ReadFile(dashboardFile))(t), &d))
	return d
}

// shows are the panels of a dashboard that aren't headings.
func (d dashboard) shows() (all []panel) {
	for _, p := range d.Panels {
		if p.Type != "row" {
			all = append(all, p)
		}
	}
	return all
}

// TestSchema: the dashboard is what Grafana says that dashboards are, and the tool sees whatever isn't.
func TestSchema(t *testing.T) {
	t.Parallel()
	tool := must.Get(programs.Tool("grafana"))(t)
	judge := func(text string) (string, error) {
		cmd := exec.CommandContext(t.Context(), tool)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	good := string(must.Get(os.ReadFile(dashboardFile))(t))
	if out, err := judge(good); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, fault := range []struct{ good, bad, complaint string }{
		{`"refresh": "1m"`, `"refreshed": "1m"`, "refreshed"},
		{`"schemaVersion": 39`, `"schemaVersion": "39"`, "schemaVersion"},
		{`"multi": true`, `"multiple": true`, "multiple"},
		{`"collapsed": false`, `"closed": false`, "closed"},
		{`"w": 4,`, `"w": 40,`, "must be <= 24"},
		{`"type": "stat"`, `"type": "state"`, `"state"`},
		{`"graphMode": "none"`, `"graphMode": 1`, "graphMode"},
		{`"wideLayout": true`, `"wide": true`, "wide"},
		{`"legendFormat"`, `"legend"`, "legend"},
		{`"instant": true`, `"instant": "yes"`, "instant"},
		{`"lineWidth": 1`, `"linewidth": 1`, "linewidth"},
		{`"lineWidth": 1`, `"lineWidth": "1"`, "lineWidth"},
		{`"displayMode": "list"`, `"displayMode": "lists"`, `"lists"`},
		{`"type": "datasource"`, `"type": "dataSource"`, `"dataSource"`},
		{`"noValue"`, `"novalue"`, "novalue"},
		{`"unit": "s"`, `"unit": "sec"`, `"sec"`},
		{`"text": "works"`, `"texts": "works"`, "texts"},
		{`"value": 0.05`, `"value": "5 %"`, "value"},
	} {
		if !strings.Contains(good, fault.good) {
			t.Errorf("the dashboard has no %s", fault.good)
		}
		if out, err := judge(strings.Replace(good, fault.good, fault.bad, 1)); err == nil || !strings.Contains(out, fault.complaint) {
			t.Errorf("with %s: %v %s", fault.bad, err, out)
		}
	}
}

// TestPanels: each has its place, and says what it shows and what to do; nothing in the dashboard is of one
// Grafana alone.
func TestPanels(t *testing.T) {
	t.Parallel()
	d := read(t)
	if d.UID != "keyward" || d.ID != nil {
		t.Errorf("uid %q, id %v", d.UID, d.ID)
	}
	ids, titles, taken := map[int]bool{}, map[string]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || titles[p.Title] || p.ID == 0 || p.Title == "" {
			t.Errorf("%d, %q: the id or the title is missing, or there twice", p.ID, p.Title)
		}
		ids[p.ID], titles[p.Title] = true, true
		at := p.GridPos
		if at.W < 1 || at.H < 1 || at.X+at.W > 24 {
			t.Errorf("%s is at %+v", p.Title, at)
		}
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				if other, ok := taken[[2]int{x, y}]; ok {
					t.Fatalf("%s is over %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	for _, p := range d.shows() {
		if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("%s asks %q for %d things", p.Title, p.Datasource.UID, len(p.Targets))
		}
		if p.FieldConfig.Defaults.Unit == "" && p.Type != "table" {
			t.Errorf("%s has no unit", p.Title)
		}
		if !strings.Contains(p.Description, "(https://github.com/keyward/keyward/blob/main/docs/") {
			t.Errorf("%s links to nothing: %q", p.Title, p.Description)
		}
	}
}

// TestLinks: all lead to a heading, and each alert has a panel that leads to what to do about it.
func TestLinks(t *testing.T) {
	t.Parallel()
	text := string(must.Get(os.ReadFile(dashboardFile))(t))
	linked := map[string]bool{}
	for _, link := range regexp.MustCompile(`/docs/([a-z-]+\.md)(#[^)"\s]+)?`).FindAllStringSubmatch(text, -1) {
		page := string(must.Get(os.ReadFile("../../docs/" + link[1]))(t))
		linked[link[0]] = true
		if link[2] != "" && link[2] != "#${__value.text}" && !anchors(page)[link[2]] { // that is the alert's name
			t.Errorf("%s leads nowhere", link[0])
		}
	}
	for name := range alerts(t) {
		if !linked["/docs/alerts.md#"+strings.ToLower(name)] {
			t.Errorf("no panel is about %s", name)
		}
	}
}

// anchors are those that GitHub gives the headings of a page.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page, -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		all["#"+strings.ReplaceAll(words, " ", "-")] = true
	}
	return all
}

// alerts are the expressions of the rules, by the alert.
func alerts(t *testing.T) map[string]string {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	must.OK(t, yaml.Unmarshal(must.Get(os.ReadFile(rules))(t), &file))
	all := map[string]string{}
	for _, rule := range file.Groups[0].Rules {
		all[rule.Alert] = rule.Expr
	}
	return all
}

// TestLimits: a panel is red, or orange, from where its alert fires.
func TestLimits(t *testing.T) {
	t.Parallel()
	limits, want := alerts(t), map[string]string{
		"Requests that fail": "KeywardErrors", "Active CA": "KeywardCAEnding", "Revocation lists": "KeywardCRLEnding",
		"OCSP signers": "KeywardOCSPSignerEnding", "License": "KeywardLicenseEnding", "Backlogs": "KeywardBacklog",
		"Rotations open": "KeywardRotationsOpen", "Database and vault": "KeywardSlowStorage", "Since the last check": "KeywardChecksStopped",
	}
	for _, p := range read(t).shows() {
		alert, ok := want[p.Title]
		if !ok {
			continue
		}
		delete(want, p.Title)
		// The first comparison is the one with the limit; of days or hours, it has two factors.
		found := regexp.MustCompile(`[<>] (\d[\d.]*)(?: \* (\d+))?(?:\s|$)`).FindStringSubmatch(strings.ReplaceAll(limits[alert], "> 0)", ")"))
		if found == nil {
			t.Fatalf("%s has no limit: %s", alert, limits[alert])
		}
		limit := must.Get(strconv.ParseFloat(found[1], 64))(t)
		if found[2] != "" {
			limit *= must.Get(strconv.ParseFloat(found[2], 64))(t)
		}
		steps := p.FieldConfig.Defaults.Thresholds.Steps
		if last := steps[len(steps)-1].Value; last == nil || *last != limit {
			t.Errorf("%s doesn't change at %v, where %s fires", p.Title, limit, alert)
		}
		if !strings.Contains(p.Description, "#"+strings.ToLower(alert)) {
			t.Errorf("%s doesn't lead to %s", p.Title, alert)
		}
	}
	for title := range want {
		t.Errorf("no panel is called %s", title)
	}
}

// TestExpressions: Prometheus takes them, and each shows something while all is well, of all servers and of
// one of them. Firing alerts are shown when all is wrong. The series are those that the alerts are tried with.
func TestExpressions(t *testing.T) {
	t.Parallel()
	type day struct {
		Interval string              `yaml:"interval"`
		Series   []map[string]string `yaml:"input_series"`
		Tries    []map[string]any    `yaml:"promql_expr_test"`
	}
	var file map[string]any
	var days struct{ Tests []day }
	text := must.Get(os.ReadFile("alerts_test.yml"))(t)
	must.OK(t, yaml.Unmarshal(text, &file))
	must.OK(t, yaml.Unmarshal(text, &days))
	good, bad := &days.Tests[0], &days.Tests[1]
	for _, d := range []*day{good, bad} {
		d.Series, d.Tries = ofServers(d.Series), nil
	}
	try := func(d *day, at, expr string) {
		for _, instance := range []string{".*", "a"} {
			here := strings.NewReplacer("$instance", instance, "$__rate_interval", "20m").Replace(expr)
			// What is no number equals nothing, not even itself.
			d.Tries = append(d.Tries, map[string]any{
				"expr": fmt.Sprintf("count((%s) == (%s)) >= bool 1", here, here), "eval_time": at,
				"exp_samples": []map[string]any{{"labels": "{}", "value": 1}},
			})
		}
	}
	d := read(t)
	for _, p := range d.shows() {
		for _, target := range p.Targets {
			if p.Type != "table" {
				try(good, "2h", target.Expr)
			}
			// Where there is nothing to count on a good day, there is on a bad one.
			if seen, otherwise := strings.CutSuffix(target.Expr, " or vector(0)"); otherwise || p.Type == "table" {
				try(bad, "25h", seen)
			}
		}
	}
	for _, v := range d.Templating.List {
		if query, ok := v.Query.(map[string]any); ok {
			try(good, "2h", regexp.MustCompile(`^label_values\((.+), \w+\)$`).ReplaceAllString(query["query"].(string), "$1"))
		}
	}
	file["tests"] = []*day{good, bad}
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, filepath.Base(rules)), must.Get(os.ReadFile(rules))(t), 0o600))
	must.OK(t, os.WriteFile(filepath.Join(dir, "dashboard.yml"), must.Get(yaml.Marshal(file))(t), 0o600))
	cmd := exec.CommandContext(t.Context(), "promtool", "test", "rules", "dashboard.yml")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// ofServers makes each series one of two servers, if it isn't one of a server yet.
func ofServers(series []map[string]string) (all []map[string]string) {
	for _, s := range series {
		name, labels, _ := strings.Cut(strings.TrimSuffix(s["series"], "}"), "{")
		if strings.Contains(labels, "instance=") {
			all = append(all, s)
			continue
		}
		for _, instance := range []string{"a", "b"} {
			mine := strings.TrimPrefix(labels+`,instance="`+instance+`"`, ",")
			all = append(all, map[string]string{"series": name + "{" + mine + "}", "values": s["values"]})
		}
	}
	return all
}
