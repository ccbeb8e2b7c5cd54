package app

import (
	"strings"
	"testing"
)

// TestTraced: OpenTelemetry's variables turn tracing on and off, and what this program can't do is an
// error, not silence.
func TestTraced(t *testing.T) {
	t.Parallel()
	const address = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318"
	for variables, want := range map[string]string{
		"":                                            "off",
		"OTEL_SERVICE_NAME=keys":                      "off",
		address:                                       "on",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=x":        "on",
		"OTEL_TRACES_EXPORTER=otlp":                   "on",
		address + " OTEL_TRACES_EXPORTER=none":        "off",
		address + " OTEL_SDK_DISABLED=true":           "off",
		address + " OTEL_TRACES_EXPORTER=zipkin":      "OTEL_TRACES_EXPORTER",
		address + " OTEL_EXPORTER_OTLP_PROTOCOL=grpc": "OTEL_EXPORTER_OTLP_PROTOCOL",
		address + " OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf": "on",
	} {
		on, err := traced(func(name string) string {
			for variable := range strings.FieldsSeq(variables) {
				if value, ok := strings.CutPrefix(variable, name+"="); ok {
					return value
				}
			}
			return ""
		})
		got := "off"
		switch {
		case err != nil:
			got, _, _ = strings.Cut(err.Error(), ":")
		case on:
			got = "on"
		}
		if got != want {
			t.Errorf("%s: %s, not %s", variables, got, want)
		}
	}
}
