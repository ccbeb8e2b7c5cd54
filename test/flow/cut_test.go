package flow_test

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// errCut is what the flow is told when the line is cut.
var errCut = errors.New("the line was cut")

// when says on which side of an interaction the cut is.
type when int

const (
	never  when = iota
	before      // it does not happen
	after       // it happens, and the answer is lost
)

func (w when) String() string { return [...]string{"never", "before", "answer lost"}[w] }

// gate counts the interactions of one kind and cuts one of them.
type gate struct {
	mu    sync.Mutex
	Names []string // of those that came, in order
	At    int
	When  when

	around func(do func() error) error // nil: nothing
}

// pass runs one interaction, or cuts it.
func (g *gate) pass(name string, do func() error) error {
	g.mu.Lock()
	here := len(g.Names) == g.At && g.When != never
	g.Names = append(g.Names, name)
	g.mu.Unlock()
	if g.around != nil {
		return g.around(do)
	}
	if !here {
		return do()
	}
	if g.When == after {
		_ = do()
	}
	return errCut
}

// get is pass for an interaction with an answer, which a cut loses.
func get[T any](g *gate, name string, do func() (T, error)) (T, error) {
	var got, none T
	err := g.pass(name, func() (err error) { got, err = do(); return err })
	if err != nil {
		return none, err
	}
	return got, nil
}

// cutBackend is a flow.Backend with a gate before each call.
type cutBackend struct {
	flow.Backend
	*gate
}

func (c cutBackend) RegisterAgent(ctx context.Context, publicKey, hostname string) error {
	return c.pass("register-agent", func() error { return c.Backend.RegisterAgent(ctx, publicKey, hostname) })
}

func (c cutBackend) Device(ctx context.Context, serial string) (client.Device, error) {
	return get(c.gate, "device", func() (client.Device, error) { return c.Backend.Device(ctx, serial) })
}

func (c cutBackend) Secrets(ctx context.Context, serial string, r client.Release) (client.Secrets, error) {
	return get(c.gate, "secrets", func() (client.Secrets, error) { return c.Backend.Secrets(ctx, serial, r) })
}

func (c cutBackend) StartRotation(ctx context.Context, serial string, n client.NewRotation) (client.Rotation, error) {
	return get(c.gate, "rotation", func() (client.Rotation, error) { return c.Backend.StartRotation(ctx, serial, n) })
}

func (c cutBackend) CommitRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (client.Device, error) {
	return get(c.gate, "commit", func() (client.Device, error) { return c.Backend.CommitRotation(ctx, serial, id, fields) })
}

func (c cutBackend) AbortRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (client.Device, error) {
	return get(c.gate, "abort", func() (client.Device, error) { return c.Backend.AbortRotation(ctx, serial, id, fields) })
}

func (c cutBackend) Observe(ctx context.Context, serial string, o client.Observation) (client.Device, error) {
	return get(c.gate, "observe "+string(o.Field), func() (client.Device, error) { return c.Backend.Observe(ctx, serial, o) })
}

func (c cutBackend) SigningReadiness(ctx context.Context, serial, slot string) (client.Readiness, error) {
	return get(c.gate, "readiness", func() (client.Readiness, error) { return c.Backend.SigningReadiness(ctx, serial, slot) })
}

func (c cutBackend) SignCSR(ctx context.Context, serial string, csr client.CSR) (client.Signed, error) {
	return get(c.gate, "sign-csr", func() (client.Signed, error) { return c.Backend.SignCSR(ctx, serial, csr) })
}

func (c cutBackend) DeviceCertificates(ctx context.Context, serial string) ([]client.Certificate, error) {
	return get(c.gate, "certificates", func() ([]client.Certificate, error) { return c.Backend.DeviceCertificates(ctx, serial) })
}

func (c cutBackend) Installed(ctx context.Context, serialNumber string) error {
	return c.pass("installed", func() error { return c.Backend.Installed(ctx, serialNumber) })
}

func (c cutBackend) Enrolled(ctx context.Context, serial string) error {
	return c.pass("enrolled", func() error { return c.Backend.Enrolled(ctx, serial) })
}

// cutAgent is a flow.Agent with a gate before each call.
type cutAgent struct {
	flow.Agent
	*gate
}

func (c cutAgent) WellKnown(ctx context.Context) (client.WellKnown, error) {
	return get(c.gate, "well-known", func() (client.WellKnown, error) { return c.Agent.WellKnown(ctx) })
}

func (c cutAgent) PublicKey(ctx context.Context) (string, error) {
	return get(c.gate, "pubkey", func() (string, error) { return c.Agent.PublicKey(ctx) })
}

func (c cutAgent) SystemInfo(ctx context.Context) (client.SystemInfo, error) {
	return get(c.gate, "system", func() (client.SystemInfo, error) { return c.Agent.SystemInfo(ctx) })
}

func (c cutAgent) Info(ctx context.Context, serial, attest string) (client.PIVInfo, error) {
	return get(c.gate, "info", func() (client.PIVInfo, error) { return c.Agent.Info(ctx, serial, attest) })
}

func (c cutAgent) CheckDefaults(ctx context.Context, serial string) (client.Defaults, error) {
	return get(c.gate, "defaults", func() (client.Defaults, error) { return c.Agent.CheckDefaults(ctx, serial) })
}

func (c cutAgent) Probe(ctx context.Context, serial string, f piv.Field, list []client.Sealed) (client.ProbeResult, error) {
	return get(c.gate, "probe "+string(f), func() (client.ProbeResult, error) { return c.Agent.Probe(ctx, serial, f, list) })
}

func (c cutAgent) SetPIN(ctx context.Context, serial string, current, next client.Sealed) error {
	return c.pass("set-pin", func() error { return c.Agent.SetPIN(ctx, serial, current, next) })
}

func (c cutAgent) SetPUK(ctx context.Context, serial string, current, next client.Sealed) error {
	return c.pass("set-puk", func() error { return c.Agent.SetPUK(ctx, serial, current, next) })
}

func (c cutAgent) UnblockPIN(ctx context.Context, serial string, puk, pin client.Sealed) error {
	return c.pass("unblock-pin", func() error { return c.Agent.UnblockPIN(ctx, serial, puk, pin) })
}

func (c cutAgent) RotateManagementKey(ctx context.Context, serial string, current, next client.Sealed) error {
	return c.pass("rotate-management-key", func() error { return c.Agent.RotateManagementKey(ctx, serial, current, next) })
}

func (c cutAgent) GenerateCSR(ctx context.Context, serial string, n client.NewCSR) (client.GeneratedCSR, error) {
	return get(c.gate, "generate-csr", func() (client.GeneratedCSR, error) { return c.Agent.GenerateCSR(ctx, serial, n) })
}

func (c cutAgent) ImportCertificate(ctx context.Context, serial string, i client.Import) error {
	return c.pass("import-certificate", func() error { return c.Agent.ImportCertificate(ctx, serial, i) })
}

// powerCut counts the moments of a card's commands and cuts the power at one.
type powerCut struct {
	moments []string
	changes []bool // whether that command writes to the card
	at      int    // -1 never
}

func (p *powerCut) hook(m applet.Moment, cmd applet.Command) bool {
	here := len(p.moments) == p.at
	p.moments = append(p.moments, moment(m)+" "+instructions[cmd.INS])
	p.changes = append(p.changes, slices.Contains(changing, cmd.INS))
	return here
}

// changing are the commands that write to the card or cost a try.
var changing = []byte{0x20, 0x24, 0x2C, 0x47, 0xDB, 0xFF}

// worthwhile lists the moments at which a power cut can make a difference:
// all of a command that changes the card, and both ends of each series of
// commands that only read.
func (p *powerCut) worthwhile() []int {
	var list []int
	for i := range p.moments {
		if slices.Contains(p.changes[max(0, i-1):min(len(p.changes), i+2)], true) || i == 0 {
			list = append(list, i)
		}
	}
	return list
}

func moment(m applet.Moment) string {
	return map[applet.Moment]string{applet.Before: "before", applet.Written: "midst of", applet.After: "answer of"}[m]
}

// instructions names what the driver sends (SP 800-73-4 part 2, and Yubico).
var instructions = map[byte]string{
	0xA4: "SELECT", 0x20: "VERIFY", 0x24: "CHANGE REFERENCE DATA", 0x2C: "RESET RETRY COUNTER", 0x47: "GENERATE",
	0x87: "AUTHENTICATE", 0xCB: "GET DATA", 0xDB: "PUT DATA", 0xF7: "METADATA", 0xF9: "ATTEST", 0xFD: "VERSION", 0xFF: "SET MANAGEMENT KEY",
}
