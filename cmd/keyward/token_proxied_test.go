package main

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/fault"
)

// TestProxyInPlaceOfAnswer: what a proxy answered for may have been done all the same, so the person is told how to find out.
func TestProxyInPlaceOfAnswer(t *testing.T) {
	t.Parallel()
	c := flowCommand{signIn: &signIn{std: IO{}}}
	err := c.report(t.Context(), flow.Result{}, &client.Error{Status: 503, Fault: fault.New(fault.BackendUnavailable, "", "Away.")})
	if err == nil || !strings.Contains(err.Error(), "may have taken effect. Run the same command again") {
		t.Errorf("told: %v", err)
	}
}
