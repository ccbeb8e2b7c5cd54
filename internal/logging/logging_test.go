package logging_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/logging"
	"github.com/keyward/keyward/internal/secret"
)

func TestNew(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := logging.New(&out, slog.LevelInfo, "json")
	log.Debug("hidden")
	log.Info("seen", "pin", secret.New("12345678"))
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["msg"] != "seen" || line["pin"] != "[redacted]" || !strings.HasSuffix(line["time"].(string), "Z") {
		t.Errorf("got %v", line)
	}

	out.Reset()
	log.With("a", 1).WithGroup("g").Info("seen", "b", 2)
	line = nil
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line["a"] != 1.0 || line["g"] == nil ||
		!strings.HasSuffix(line["time"].(string), "Z") {
		t.Errorf("got %v, %v", line, err)
	}

	out.Reset()
	logging.New(&out, slog.LevelWarn, "text").Warn("seen", "pin", secret.New("12345678"))
	if got := out.String(); !strings.Contains(got, "level=WARN msg=seen pin=[redacted]") {
		t.Errorf("got %s", got)
	}
}
