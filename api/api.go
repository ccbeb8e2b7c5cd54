// Package api holds the published contracts as they are committed, for the
// programs' own tests: a change of one is a change of the program that is tested,
// so Go knows in any checkout which results still count.
package api

import _ "embed"

// Backend is backend.yaml, the server's OpenAPI 3.1 file.
//
//go:embed backend.yaml
var Backend []byte

// Agent is agent.yaml, the agent's OpenAPI 3.1 file.
//
//go:embed agent.yaml
var Agent []byte

// License is license.yaml, the license service's OpenAPI 3.1 file.
//
//go:embed license.yaml
var License []byte
