package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// TestUnwritableAnswer: what does not encode is a problem document with the
// request id, and its cause is in the log.
func TestUnwritableAnswer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := New(Options{Version: "test", Auth: tokens{}, Log: slog.New(slog.NewJSONHandler(&log, nil))})
	Register(s, Operation{hidden: true, ID: "health", Method: http.MethodGet, Path: "/api/test/unwritable", Limit: LimitOpen},
		func(context.Context, *struct{}) (*huma.StreamResponse, error) {
			return &huma.StreamResponse{Body: func(ctx huma.Context) { s.WriteJSON(ctx.Context(), math.NaN()) }}, nil
		})
	res := call(s, http.MethodGet, "/api/test/unwritable")
	var doc struct {
		Code      string
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal(res.Body.Bytes(), &doc); err != nil {
		t.Fatalf("%d %s: %v", res.Code, res.Body, err)
	}
	if res.Code != http.StatusInternalServerError || res.Header().Get("Content-Type") != "application/problem+json" ||
		doc.Code != "internal" || doc.RequestID == "" || doc.RequestID != res.Header().Get("X-Request-Id") {
		t.Errorf("%d %v %s", res.Code, res.Header(), res.Body)
	}
	if strings.Contains(res.Body.String(), "NaN") || !strings.Contains(log.String(), "NaN") || !strings.Contains(log.String(), doc.RequestID) {
		t.Errorf("the answer %s, the log %s", res.Body, log.String())
	}
}
