//go:build exhaustive

package containers

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/keyward/keyward/test/must"
)

const chart = top + "deploy/helm/keyward"

// manifest is what the tests look at in any kind of object.
type manifest struct {
	Kind     string
	Metadata struct {
		Name        string
		Labels      labels
		Annotations labels
	}
	Data map[string]string
	Spec spec
}

type labels map[string]string

type spec struct {
	Replicas       int
	Strategy       struct{ RollingUpdate map[string]int }
	MaxUnavailable int
	Selector       json.RawMessage // a Service's are labels alone
	PodSelector    struct{ MatchLabels labels }
	PolicyTypes    []string
	Ingress        []struct{ Ports, From []any }
	Egress         []any
	Rules          []struct{ Host string }
	JobLabel       string
	Groups         any
	Template       struct {
		Metadata struct{ Labels, Annotations labels }
		Spec     pod
	}
}

type pod struct {
	Token      *bool `json:"automountServiceAccountToken"`
	Grace      int   `json:"terminationGracePeriodSeconds"`
	Containers []podContainer
	Volumes    []struct {
		Name      string
		Projected struct {
			Sources []map[string]struct{ Items []struct{ Path string } }
		}
	}
}

type podContainer struct {
	Args []string
	Env  []struct{ Name, Value string }
	// Env has no valueFrom, and there is no envFrom.
	EnvFrom         []any
	Resources       struct{ Limits labels }
	SecurityContext struct {
		ReadOnly bool `json:"readOnlyRootFilesystem"`
	}
	Startup   probe `json:"startupProbe"`
	Liveness  probe `json:"livenessProbe"`
	Readiness probe `json:"readinessProbe"`
}

type probe struct {
	Get struct{ Path, Port, Scheme string } `json:"httpGet"`
}

// selects says whether labels are all among others.
func (l labels) selects(others labels) bool {
	for name, value := range l {
		if others[name] != value {
			return false
		}
	}
	return len(l) > 0
}

// selector is that of a Service, or of anything else.
func (s spec) selector(t *testing.T) (l labels) {
	t.Helper()
	var long struct{ MatchLabels labels }
	must.OK(t, json.Unmarshal(s.Selector, &long))
	if long.MatchLabels != nil {
		return long.MatchLabels
	}
	must.OK(t, json.Unmarshal(s.Selector, &l))
	return l
}

// example is the one in the chart's README.
func example(t *testing.T) string {
	t.Helper()
	_, after, _ := strings.Cut(string(must.Get(os.ReadFile(chart+"/README.md"))(t)), "```yaml\n")
	values, _, ok := strings.Cut(after, "```")
	if !ok {
		t.Fatal("the README has no example")
	}
	return values
}

// helm runs it on the chart, with the example's values and others that count more.
func helm(t *testing.T, more string, command ...string) (string, error) {
	t.Helper()
	file := must.Get(os.CreateTemp("", "keyward-values"))(t) // the name of a test may have a comma, which Helm takes for two files
	t.Cleanup(func() { must.OK(t, os.Remove(file.Name())) })
	must.Get(file.WriteString(example(t)))(t)
	must.OK(t, file.Close())
	cmd := tool(t, "helm", append(command, "--values", file.Name(), "--values", "-")...)
	cmd.Stdin = strings.NewReader(more)
	return run(cmd)
}

// rendered returns what an upgrade applies, by kind, once the API server's own code has
// judged it.
func rendered(t *testing.T, more string) map[string]manifest {
	t.Helper()
	judge := tool(t, "kubernetes")
	judge.Stdin = strings.NewReader(must.Get(helm(t, more, "template", "keyward", chart, "--is-upgrade"))(t))
	all := map[string]manifest{}
	for d := json.NewDecoder(strings.NewReader(must.Get(run(judge))(t))); ; {
		var m manifest
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		kind := m.Kind
		if m.Metadata.Labels["grafana_dashboard"] != "" {
			kind = "dashboard" // the settings are a ConfigMap, too
		}
		if _, twice := all[kind]; twice {
			t.Errorf("%s is there twice", kind)
		}
		all[kind] = m
	}
}

// always is what every installation has.
var always = []string{"ConfigMap", "Deployment", "Job", "PodDisruptionBudget", "Service", "ServiceAccount"}

// TestChart: whatever is chosen, Helm and the API server take it, the server takes its
// settings, and the chart keeps its promises.
func TestChart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values, scheme string
		kinds          []string // besides those of every installation
		token          bool
	}{
		"the example":       {kinds: []string{"Ingress", "NetworkPolicy"}},
		"no policy":         {values: "networkPolicy: { enabled: false }\ningress: { enabled: false }\n"},
		"nobody may come":   {values: "networkPolicy: { from: [], to: { mail: null } }\n", kinds: []string{"Ingress", "NetworkPolicy"}},
		"one server":        {values: "replicas: 1\n", kinds: []string{"Ingress", "NetworkPolicy"}},
		"kubernetes's auth": {values: "settings: { VAULT_AUTH_METHOD: kubernetes }\n", kinds: []string{"Ingress", "NetworkPolicy"}, token: true},
		"everything": {values: `
settings: { DATABASE_MAX_CONNECTIONS: "30", SHUTDOWN_TIMEOUT: 60s, WEBHOOK_ALLOWED_NETWORKS: "10.1.0.0/16,10.2.0.0/16" }
files: { TLS_CERT_FILE: { secret: tls, key: tls.crt }, TLS_KEY_FILE: { secret: tls, key: tls.key } }
imagePullSecrets: [{ name: registry }]
networkPolicy: { to: { vault: { ports: [8200, 8201], to: [{ ipBlock: { cidr: 10.1.2.3/32 } }] } } }
nodeSelector: { disk: fast }
tolerations: [{ key: dedicated, operator: Exists }]
affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [
  { matchExpressions: [{ key: zone, operator: In, values: [a, b] }] }] } } }
serviceMonitor: { enabled: true, labels: { release: prometheus } }
prometheusRule: { enabled: true, labels: { release: prometheus } }
grafanaDashboard: { enabled: true }
`, kinds: []string{"Ingress", "NetworkPolicy", "PrometheusRule", "ServiceMonitor", "dashboard"}, scheme: "HTTPS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must.Get(helm(t, c.values, "lint", "--strict", chart))(t)
			all := rendered(t, c.values)
			want := slices.Sorted(slices.Values(slices.Concat(always, c.kinds)))
			if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
				t.Fatalf("it makes %v, and not %v", got, want)
			}
			checkSettings(t, all, c.token)
			checkPods(t, all, c.token, c.scheme)
			checkSelectors(t, all)
		})
	}
}

// checkSettings: the server takes its settings, and each file that they name is mounted.
func checkSettings(t *testing.T, all map[string]manifest, token bool) {
	t.Helper()
	settings, mounted := map[string]string{}, map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(all["ConfigMap"].Data["keyward.env"]), "\n") {
		name, value, _ := strings.Cut(line, "=")
		settings[name] = strings.Trim(value, `"`)
	}
	for _, volume := range all["Deployment"].Spec.Template.Spec.Volumes {
		for _, source := range volume.Projected.Sources {
			for _, from := range source {
				mounted["/etc/keyward/files/"+from.Items[0].Path] = "postgres://keyward@db/keyward"
			}
		}
	}
	if token {
		settings["VAULT_JWT_FILE"] = "/etc/keyward/files/token"
		mounted[settings["VAULT_JWT_FILE"]] = "token"
	}
	folder := t.TempDir()
	put(t, folder, mounted)
	cfg := must.Get(starts(t, folder, settings))(t)
	for name, value := range settings {
		if path, ok := strings.CutPrefix(value, "/etc/"); ok && mounted["/etc/"+path] == "" {
			t.Errorf("%s names %s, which is not mounted", name, value)
		}
	}
	if cfg.DatabaseURL.Empty() || cfg.VaultAddr == "" {
		t.Error("it has no database, or no vault")
	}
	if cfg.MetricsListen != ":9464" || cfg.Listen != ":8080" || cfg.Data != "/var/lib/keyward/data" {
		t.Errorf("it listens on %s and %s, with its data in %s", cfg.Listen, cfg.MetricsListen, cfg.Data)
	}
	grace := time.Duration(all["Deployment"].Spec.Template.Spec.Grace) * time.Second
	if cfg.DrainDelay < 5*time.Second || grace <= cfg.DrainDelay+cfg.ShutdownTimeout {
		t.Errorf("it stops within %s + %s, and is killed after %s", cfg.DrainDelay, cfg.ShutdownTimeout, grace)
	}
}

// checkPods: no secret in the environment, a read-only root, a limit, probes. The API
// server's judgment includes that they are "restricted".
func checkPods(t *testing.T, all map[string]manifest, token bool, scheme string) {
	t.Helper()
	known, secret := documented(t)
	for kind, command := range map[string]string{"Deployment": "serve", "Job": "migrate"} {
		pod := all[kind].Spec.Template.Spec
		c := pod.Containers[0]
		if len(pod.Containers) != 1 || !slices.Equal(c.Args, []string{command}) || !c.SecurityContext.ReadOnly ||
			c.Resources.Limits["memory"] != "512Mi" {
			t.Errorf("%s: %+v", kind, c)
		}
		if pod.Token == nil || *pod.Token != (token && kind == "Deployment") {
			t.Errorf("%s gets a token: %v", kind, pod.Token)
		}
		if len(c.Env) == 0 || c.EnvFrom != nil {
			t.Errorf("%s: %+v", kind, c)
		}
		for _, e := range c.Env {
			if e.Value == "" || slices.Contains(secret, e.Name) || e.Name != "KEYWARD_CONFIG" && !slices.Contains(known, e.Name) {
				t.Errorf("%s has in its environment %s", kind, e.Name)
			}
		}
	}
	if scheme == "" {
		scheme = "HTTP"
	}
	c := all["Deployment"].Spec.Template.Spec.Containers[0]
	for _, p := range []struct {
		probe
		path string
	}{{c.Startup, "/livez"}, {c.Liveness, "/livez"}, {c.Readiness, "/readyz"}} {
		if p.Get.Path != p.path || p.Get.Port != "http" || p.Get.Scheme != scheme {
			t.Errorf("a probe asks for %+v, and not for %s", p.Get, p.path)
		}
	}
	if all["Deployment"].Spec.Template.Metadata.Annotations["checksum/settings"] == "" {
		t.Error("new settings start no new pods")
	}
	if all["Job"].Metadata.Annotations["helm.sh/hook"] != "pre-upgrade" {
		t.Errorf("the migration runs at %v", all["Job"].Metadata.Annotations)
	}
}

// checkSelectors: each finds the pods that it is for, and a node can be drained.
func checkSelectors(t *testing.T, all map[string]manifest) {
	t.Helper()
	servers, migrations := all["Deployment"].Spec.Template.Metadata.Labels, all["Job"].Spec.Template.Metadata.Labels
	for _, kind := range []string{"Deployment", "PodDisruptionBudget", "Service"} {
		if l := all[kind].Spec.selector(t); !l.selects(servers) || l.selects(migrations) {
			t.Errorf("%s selects %v", kind, l)
		}
	}
	if n := all["PodDisruptionBudget"].Spec.MaxUnavailable; n != 1 {
		t.Errorf("%d may be evicted at a time", n)
	}
	if update := all["Deployment"].Spec.Strategy.RollingUpdate; update["maxUnavailable"] != 0 || update["maxSurge"] != 1 {
		t.Errorf("an upgrade has %v", update)
	}
	if policy, ok := all["NetworkPolicy"]; ok {
		l := policy.Spec.PodSelector.MatchLabels
		if !l.selects(servers) || !l.selects(migrations) || !slices.Equal(policy.Spec.PolicyTypes, []string{"Ingress", "Egress"}) ||
			len(policy.Spec.Egress) < 3 {
			t.Errorf("the policy is %+v", policy.Spec)
		}
		for _, rule := range policy.Spec.Ingress {
			if len(rule.Ports) != 1 || len(rule.From) == 0 { // no peers would be everybody
				t.Errorf("the policy lets in %+v", rule)
			}
		}
	}
	if monitor, ok := all["ServiceMonitor"]; ok {
		service := all["Service"].Metadata.Labels
		if !monitor.Spec.selector(t).selects(service) || service[monitor.Spec.JobLabel] != "keyward" {
			t.Errorf("the job is called %s, and the alerts expect keyward", service[monitor.Spec.JobLabel])
		}
		var rules struct{ Groups any }
		must.OK(t, yaml.Unmarshal(must.Get(os.ReadFile(top+"deploy/prometheus/keyward.rules.yml"))(t), &rules))
		if rules.Groups == nil || !reflect.DeepEqual(all["PrometheusRule"].Spec.Groups, rules.Groups) {
			t.Error("its alerts are not those of deploy/prometheus")
		}
	}
	if shown, ok := all["dashboard"]; ok {
		if shown.Data["keyward.json"] != string(must.Get(os.ReadFile(top+"deploy/grafana/keyward.json"))(t)) {
			t.Error("its dashboard is not that of deploy/grafana")
		}
	}
	if ingress, ok := all["Ingress"]; ok && ingress.Spec.Rules[0].Host != "keyward.example.org" {
		t.Errorf("the Ingress is for %v", ingress.Spec.Rules)
	}
}
