package agent

import (
	"bytes"
	"log/slog"
)

//go:generate go run ./gen ../../api/agent.yaml

// OpenAPI returns the agent's contract, generated from the handlers' types, as
// YAML.
func OpenAPI() ([]byte, error) {
	s := newServer(Config{Log: slog.New(slog.DiscardHandler)}, signer{})
	api, _ := s.newAPI()
	raw, err := api.OpenAPI().YAML()
	if err != nil {
		return nil, err
	}
	head := []byte("# Made by go generate ./internal/agent from the handlers' types; do not edit.\n")
	return append(head, bytes.TrimLeft(raw, "\n")...), nil
}
