package agent

import (
	"github.com/keyward/keyward/internal/middleware"
)

// Query parameters; the bodies are in package api/agent.

type bySerial struct {
	Serial string `query:"serial" required:"true" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$" doc:"The token's serial number."`
}

// looking holds the parameters of piv-info.
type looking struct {
	Serial string `query:"serial" required:"true" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$" doc:"The token's serial number."`
	Attest string `query:"attest" enum:"9a,9c,9d,9e" doc:"Where the token does not tell this slot's key (firmware before 5.3), find it by attestation. That takes the token a signature, so it is not for asking often."`
}

// body wraps a request or response body for huma.
type body[T any] struct{ Body T }

func reply[T any](v T) *body[T] { return &body[T]{v} }

// problemDocument describes the agent's problem documents.
type problemDocument struct {
	middleware.ProblemDocument
	RetriesLeft *int  `json:"retries_left,omitempty" nullable:"false" doc:"With wrong_pin, wrong_puk, pin_blocked, puk_blocked and retries_low."`
	Tried       *int  `json:"tried,omitempty" nullable:"false" doc:"With retries_low and others during a probe: how many candidates were tried and found wrong."`
	Outcome     *bool `json:"outcome_known,omitempty" nullable:"false" doc:"With tool_failed: false if the token may or may not have been changed."`
}
