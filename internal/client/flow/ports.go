package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
)

// Backend is what flows need of the service; *client.Backend has it. All
// calls but StartRotation may be repeated without harm.
type Backend interface {
	RegisterAgent(ctx context.Context, key client.AgentKey, hostname, confirmed string) error
	Device(ctx context.Context, serial string) (client.Device, error)
	Secrets(ctx context.Context, serial string, r client.Release) (client.Secrets, error)
	StartRotation(ctx context.Context, serial string, n client.NewRotation) (client.Rotation, error)
	CommitRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (client.Device, error)
	AbortRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (client.Device, error)
	Observe(ctx context.Context, serial string, o client.Observation) (client.Device, error)
	SigningReadiness(ctx context.Context, serial, slot, kept string) (client.Readiness, error)
	SignCSR(ctx context.Context, serial string, c client.CSR) (client.Signed, error)
	DeviceCertificates(ctx context.Context, serial string) ([]client.Certificate, error)
	Installed(ctx context.Context, serialNumber string) error
	Enrolled(ctx context.Context, serial, firmware string) error
}

// Agent is what flows need of the workstation's agent; *client.Agent has it.
type Agent interface {
	WellKnown(ctx context.Context) (client.WellKnown, error)
	PublicKey(ctx context.Context) (client.AgentKey, error)
	SystemInfo(ctx context.Context) (client.SystemInfo, error)
	Info(ctx context.Context, serial, attest string) (client.PIVInfo, error)
	CheckDefaults(ctx context.Context, serial string) (client.Defaults, error)
	Probe(ctx context.Context, serial string, f piv.Field, candidates []client.Sealed) (client.ProbeResult, error)
	SetPIN(ctx context.Context, serial string, current, next client.Sealed) error
	SetPUK(ctx context.Context, serial string, current, next client.Sealed) error
	UnblockPIN(ctx context.Context, serial string, puk, pin client.Sealed) error
	SetRetries(ctx context.Context, serial string, managementKey, pin client.Sealed, pinRetries, pukRetries int) error
	RotateManagementKey(ctx context.Context, serial string, current, next client.Sealed) error
	TakeManagementKey(ctx context.Context, serial string, pin, next client.Sealed) error
	GenerateCSR(ctx context.Context, serial string, n client.NewCSR) (client.GeneratedCSR, error)
	ImportCertificate(ctx context.Context, serial string, i client.Import) error
}

var (
	_ Backend = (*client.Backend)(nil)
	_ Agent   = (*client.Agent)(nil)
)

// Step names a part of a flow.
type Step string

// The steps, in the order in which they can come.
const (
	StepAgent         Step = "agent"
	StepRead          Step = "read"
	StepProbe         Step = "probe"
	StepSettle        Step = "settle"
	StepRotation      Step = "rotation"
	StepManagementKey Step = "management_key"
	StepPUK           Step = "puk"
	StepPIN           Step = "pin"
	StepRetries       Step = "retries"
	StepReadiness     Step = "readiness"
	StepKey           Step = "key"
	StepSign          Step = "sign"
	StepImport        Step = "import"
	StepInstalled     Step = "installed"
	StepEnrolled      Step = "enrolled"
)

// Event is progress. Text is for the person and never holds a secret.
type Event struct {
	Step Step
	Text string
}

// Question is asked of the person where a flow must not decide alone.
type Question string

// The questions.
const (
	// AskFactory: firmware before 5.3 does not tell whether factory values
	// are in use, and trying them costs a try.
	AskFactory Question = "factory"
	// AskAnotherTry: what was tried was wrong, and the next try is one that
	// the person may need, or on firmware before 5.3 perhaps the last.
	AskAnotherTry Question = "another_try"
	// AskAgent: the agent that answers is one that the person has not used
	// before, and its code is to be compared.
	AskAgent Question = "agent"
	// AskOverwrite: the slot holds what Keyward did not put there, or a key
	// that decrypts.
	AskOverwrite Question = "overwrite"
)

// Options are what every flow needs.
type Options struct {
	Backend Backend
	Agent   Agent
	Serial  string
	Slot    string // empty: 9a
	Reason  string // demanded for somebody else's token
	// AgentCode is what keyward-agent code printed, when the person said so
	// beforehand; then nobody is asked.
	AgentCode string

	// Reauthenticate has the person prove who they are, where the server
	// demands it; nil: nobody can.
	Reauthenticate func(ctx context.Context) error

	Progress func(Event)                                                      // nil: nobody looks
	Confirm  func(ctx context.Context, q Question, text string) (bool, error) // nil: no
}

// Result is what a flow did.
type Result struct {
	Serial string `json:"serial"`
	// Resumed tells that an earlier attempt was found and finished.
	Resumed bool `json:"resumed"`
	// Unchanged tells that there was nothing to do.
	Unchanged bool `json:"unchanged"`
	// The certificate that the slot holds now, for flows about one.
	Slot                    string `json:"slot,omitempty"`
	CertificateSerialNumber string `json:"certificate_serial_number,omitempty"`
	NotAfter                string `json:"not_after,omitempty"` // RFC 3339
}
