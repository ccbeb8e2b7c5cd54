package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
)

// Backend is what flows need of the service; *client.Backend implements it. All calls
// except StartRotation may be repeated without harm.
type Backend interface {
	RegisterAgent(ctx context.Context, key client.AgentKey, hostname, confirmed string) error
	Device(ctx context.Context, serial string) (client.Device, error)
	Secrets(ctx context.Context, serial string, r client.Release) (client.Secrets, error)
	StartRotation(ctx context.Context, serial string, n client.NewRotation) (client.Rotation, error)
	CommitRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (client.Device, error)
	AbortRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (client.Device, error)
	Observe(ctx context.Context, serial string, o client.Observation) (client.Device, error)
	Profiles(ctx context.Context, serial string) (client.UsableProfiles, error)
	SigningReadiness(ctx context.Context, serial, slot, kept string) (client.Readiness, error)
	SignCSR(ctx context.Context, serial string, c client.CSR) (client.Signed, error)
	DeviceCertificates(ctx context.Context, serial string) ([]client.Certificate, error)
	Installed(ctx context.Context, serialNumber string) error
	Enrolled(ctx context.Context, serial, firmware string) error
}

// Agent is what flows need of the workstation's agent; *client.Agent implements it.
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

// The steps, in the order in which they can occur.
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

// Event is progress. Text is for the user and never holds a secret.
type Event struct {
	Step Step
	Text string
}

// Question is put to the user where a flow must not decide alone.
type Question string

// The questions.
const (
	// AskFactory: firmware before 5.3 does not report whether factory values are in
	// use, and trying them costs a try.
	AskFactory Question = "factory"
	// AskAnotherTry: the values tried so far were wrong, and the user may need the next
	// try, which may be the last on firmware before 5.3.
	AskAnotherTry Question = "another_try"
	// AskAgent: the user has not used this agent before and must compare its code.
	AskAgent Question = "agent"
	// AskOverwrite: the slot holds something that Keyward did not store, or a
	// decryption key.
	AskOverwrite Question = "overwrite"
)

// Options are what every flow needs.
type Options struct {
	Backend Backend
	Agent   Agent
	Serial  string
	Slot    string // empty: 9a
	// Plan are the slots that Enroll fills; none: Slot alone. It never replaces what 9d holds.
	Plan   []string
	Reason string // required for somebody else's token
	// AgentCode is the output of keyward-agent code, if the user supplied it
	// beforehand; then AskAgent is not asked.
	AgentCode string

	// Reauthenticate has the user prove their identity when the server requires it;
	// nil: not possible.
	Reauthenticate func(ctx context.Context) error

	Progress func(Event)                                                      // nil: not reported
	Confirm  func(ctx context.Context, q Question, text string) (bool, error) // nil: no
}

// Result is what a flow did.
type Result struct {
	Serial string `json:"serial"`
	// Resumed means that an earlier attempt was found and finished.
	Resumed bool `json:"resumed"`
	// Unchanged means that there was nothing to do.
	Unchanged bool `json:"unchanged"`
	// The certificate that the slot now holds, for flows about certificates.
	Slot                    string `json:"slot,omitempty"`
	CertificateSerialNumber string `json:"certificate_serial_number,omitempty"`
	NotAfter                string `json:"not_after,omitempty"` // RFC 3339
	// Others are the certificates of a plan's other slots, and Kept those of its slots that were
	// kept as they are.
	Others []InSlot `json:"others,omitempty"`
	Kept   []string `json:"kept,omitempty"`
}

// InSlot is a certificate in a slot.
type InSlot struct {
	Slot                    string `json:"slot"`
	CertificateSerialNumber string `json:"certificate_serial_number"`
	NotAfter                string `json:"not_after"` // RFC 3339
}
