// Package agent holds the bodies of the agent's requests and answers, as
// agent.yaml beside it describes them: the agent and whoever talks to it use
// the same types. Secrets are base64 ciphertexts when encrypted is true, else
// the plain texts; only a client's encoder writes them out.
package agent

// Status says that the agent is there.
type Status struct {
	Status  string `json:"status" enum:"ok"`
	Version string `json:"version"`
}

// PublicKey is the agent's key.
type PublicKey struct {
	PublicKey   string   `json:"public_key" doc:"PEM SubjectPublicKeyInfo, RSA 4096 bits; new at every start of the agent."`
	Fingerprint string   `json:"fingerprint" doc:"Hex SHA-256 of that SubjectPublicKeyInfo."`
	Identity    Identity `json:"identity"`
}

// Identity is the key by which the agent is known again after a restart, and
// its word for the present one.
type Identity struct {
	PublicKey string `json:"public_key" doc:"PEM SubjectPublicKeyInfo, Ed25519; the user's, kept across restarts."`
	Signature string `json:"signature" doc:"Base64 Ed25519 signature over four things in this order: the text keyward-agent/1 and a line break, the request's Origin (- without one), a line break, the fingerprint."`
}

// Success answers a POST that has nothing else to say.
type Success struct {
	Success bool `json:"success" enum:"true"`
}

// Tokens are the connected tokens.
type Tokens struct {
	Tokens []Token       `json:"tokens" nullable:"false" doc:"The tokens that could be read. A token that is missing was not necessarily removed: see in_use."`
	InUse  []ReaderInUse `json:"in_use,omitempty" nullable:"false" doc:"Readers whose token another program, such as gpg's scdaemon, has exclusive use of."`
}

// ReaderInUse is a reader whose token could not be read for that reason.
type ReaderInUse struct {
	Reader string `json:"reader"`
}

// Token is a token in a reader.
type Token struct {
	Serial          string `json:"serial"`
	Model           string `json:"model"`
	FirmwareVersion string `json:"firmware_version"`
	FormFactor      string `json:"form_factor"`
	Reader          string `json:"reader"`
}

// System is the workstation and its token tool.
type System struct {
	Hostname     string  `json:"hostname"`
	OS           string  `json:"os"`
	Arch         string  `json:"arch"`
	AgentVersion string  `json:"agent_version"`
	Tool         string  `json:"tool"`
	ToolVersion  *string `json:"tool_version" doc:"Null when the tool is missing or does not work."`
}

// ReaderEvent is a token that came or went.
type ReaderEvent struct {
	Reader string  `json:"reader"`
	Serial *string `json:"serial" doc:"Of a removed token that was seen before, else null: ask /discover."`
}
