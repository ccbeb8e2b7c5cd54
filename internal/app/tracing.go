package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tracing"
)

// tracesEnd bounds the wait for a collector when the server stops.
const tracesEnd = 5 * time.Second

// startTracing sends traces as OpenTelemetry's own variables say (OpenTelemetry, "Environment
// Variable Specification"); without an address, none. end sends the rest.
func startTracing(ctx context.Context, version, part string, cfg config.Config, log *slog.Logger) (end func(), err error) {
	undo, err := setTracing(cfg.OpenTelemetry)
	defer undo()
	if err != nil {
		return nil, err
	}
	if on, err := traced(os.Getenv); !on || err != nil {
		return func() {}, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_…: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", part), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	var mu sync.Mutex
	var said logLimiter
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if said.news(err) {
			log.Warn("traces can't be sent", "error", err)
		}
	}))
	tracing.Use(provider)
	log.Info("sending traces (OpenTelemetry)")
	return func() {
		tracing.Use(nil)
		brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesEnd)
		defer cancel()
		if err := provider.Shutdown(brief); err != nil {
			log.Warn("the last traces could not be sent", "error", err)
		}
	}, nil
}

// headersFile names a file with OTEL_EXPORTER_OTLP_HEADERS, which may hold the collector's token.
const headersFile = "OTEL_EXPORTER_OTLP_HEADERS_FILE"

// setTracing puts the settings file's variables where the library reads them, until undo.
func setTracing(file map[string]secret.String) (undo func(), err error) {
	var set []string
	undo = func() {
		for _, name := range set {
			_ = os.Unsetenv(name) // it was not set
		}
	}
	put := func(name, value string) {
		if os.Getenv(name) == "" && value != "" && err == nil {
			set, err = append(set, name), os.Setenv(name, value)
		}
	}
	for name, value := range file {
		put(name, value.Reveal())
	}
	if path := os.Getenv(headersFile); path != "" {
		headers, readErr := config.ReadSecret(path)
		if readErr != nil {
			return undo, fmt.Errorf("%s: %w", headersFile, readErr)
		}
		put("OTEL_EXPORTER_OTLP_HEADERS", headers.Reveal())
	}
	return undo, err
}

// traced reports whether the variables turn tracing on.
func traced(getenv func(string) string) (bool, error) {
	exporter := getenv("OTEL_TRACES_EXPORTER")
	switch exporter {
	case "", "otlp", "none":
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER: must be otlp or none")
	}
	address := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || exporter == "none" || exporter == "" && address == "" {
		return false, nil
	}
	protocol := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf")
	if protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf, which collectors usually take at port 4318")
	}
	return true, nil
}
