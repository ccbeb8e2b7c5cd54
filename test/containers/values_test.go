//go:build exhaustive

package containers

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestValues: what is wrong is refused before anything is installed, above all a secret that
// is not in a file.
func TestValues(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		"replicas: three":              "/replicas",
		"replicas: 0":                  "/replicas",
		"replica: 3":                   "replica",
		`image: ""`:                    "/image",
		"settings: { SITE_URL: null }": "SITE_URL",
		"settings: { SITE_URL: keyward.example.org }":                  "/settings/SITE_URL",
		"settings: { VAULT_ADDR: null }":                               "VAULT_ADDR",
		"settings: { ARGON2_PASSES: 2 }":                               "/settings/ARGON2_PASSES",
		"settings: { LISTEN: ':80' }":                                  "propertyName 'LISTEN'",
		"settings: { OTEL_EXPORTER_OTLP_HEADERS: token=t }":            "propertyName 'OTEL_EXPORTER_OTLP_HEADERS'",
		"files: { DATABASE_URL_FILE: null }":                           "DATABASE_URL_FILE",
		"files: { VAULT_CACERT: { key: ca.pem, configMap: null } }":    "/files/VAULT_CACERT",
		"files: { VAULT_CACERT: { secret: ca } }":                      "/files/VAULT_CACERT",
		"files: { VAULT_TOKEN: { secret: vault, key: token } }":        "propertyName 'VAULT_TOKEN'",
		"otherFiles: { ../ca.pem: { secret: ca, key: ca.pem } }":       "propertyName '../ca.pem'",
		"networkPolicy: { to: { database: { ports: [postgresql] } } }": "/networkPolicy/to/database/ports",
		"ingress: { enabled: 'yes' }":                                  "/ingress/enabled",
	}
	_, secrets := documented(t)
	for _, name := range secrets {
		refused["settings: { "+name+": something }"] = "propertyName '" + name + "'"
	}
	for values, place := range refused {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			_, err := helm(t, values, "template", chart)
			if err == nil {
				t.Error("it is taken")
			} else if !strings.Contains(err.Error(), "values don't meet the specifications of the schema") || !strings.Contains(err.Error(), place) {
				t.Error(err)
			}
		})
	}
}

// TestRequired: Helm says what is missing without any values.
func TestRequired(t *testing.T) {
	t.Parallel()
	_, err := run(tool(t, "helm", "template", chart))
	for _, name := range []string{"SITE_URL", "VAULT_ADDR", "DATABASE_URL_FILE", "/image"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPackagedChart: a packaged chart is the same, and has the alerts, which are a link in
// its folder.
func TestPackagedChart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	must.Get(run(tool(t, "helm", "package", chart, "--destination", folder)))(t)
	packaged := must.Get(filepath.Glob(folder + "/keyward-*.tgz"))(t)
	if len(packaged) != 1 {
		t.Fatalf("it made %v", packaged)
	}
	const values = "prometheusRule: { enabled: true }\n"
	want := must.Get(helm(t, values, "template", chart))(t)
	if got := must.Get(helm(t, values, "template", packaged[0]))(t); got != want || !strings.Contains(got, "alert: KeywardDown") {
		t.Error("the packaged chart is another")
	}
}
