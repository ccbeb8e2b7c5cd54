package hwkey

import (
	"context"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// ImportStore writes many tokens at once.
type ImportStore interface {
	// DevicesBySerial returns those of the serials that are on record, in
	// no particular order, whoever they belong to.
	DevicesBySerial(ctx context.Context, serials []string) ([]Device, error)
	// InsertDevices is InsertDevice for many, in one transaction. outcomes
	// has an error for each: nil, or the fault that InsertDevice would have
	// answered; one that fails does not stop the others.
	InsertDevices(ctx context.Context, devices []NewDevice) (outcomes []error, err error)
}

// NewDevice is a device to insert with its entry.
type NewDevice struct {
	Device Device
	Entry  audit.Entry
}

// Import is what an import did, or, as a dry run, would do.
type Import struct {
	DryRun                     bool
	Created, Unchanged, Failed int
	Rows                       []ImportedRow // as in the file
}

// ImportedRow is what became of one row.
type ImportedRow struct {
	Line    int
	Serial  string // empty when it is none
	Outcome Outcome
	Errors  []fault.Field // why it failed
}

// maxImports is how many imports one process works on at once.
const maxImports = 2

// Import puts the tokens of a CSV file on record. It never changes a token
// that is on record: if the row says the same, it is unchanged, and otherwise
// failed. So the same file again, after an import that was cut off too, does
// what is left. A row that fails does not stop the others; when the vault or
// the database fails, the import ends with that fault and what is done stays.
func (s *Service) Import(ctx context.Context, a access.Actor, scope access.Scope, file []byte, dryRun bool) (Import, error) {
	defer s.importing.Add(-1)
	if s.importing.Add(1) > maxImports {
		return Import{}, fault.New(fault.Overloaded, "imports", "Other imports are running. Try again in a moment.").After(10 * time.Second)
	}
	rows, err := parseImport(file)
	if err != nil {
		return Import{}, err
	}
	im := &importing{Service: s, actor: a, scope: scope, places: map[[2]string]placed{}}
	if err := im.plan(ctx, rows); err != nil {
		return Import{}, err
	}
	if im.grows() {
		if err := s.mayGrow(ctx); err != nil {
			return Import{}, err
		}
	}
	if !dryRun {
		if err := im.create(ctx); err != nil {
			return Import{}, err
		}
	}
	out := Import{DryRun: dryRun, Rows: make([]ImportedRow, len(im.rows))}
	for i, row := range im.rows {
		out.Rows[i] = row.result()
		switch row.outcome {
		case WasCreated:
			out.Created++
		case WasUnchanged:
			out.Unchanged++
		default:
			out.Failed++
		}
	}
	return out, nil
}

// mayGrow is LicenseRestricted while no token may be added.
func (s *Service) mayGrow(ctx context.Context) error {
	if s.Grows == nil {
		return nil
	}
	return s.Grows(ctx)
}

// grows tells whether the import adds a token.
func (im *importing) grows() bool {
	return slices.ContainsFunc(im.rows, func(p *planned) bool { return p.outcome == WasCreated })
}

// importing is an import under way.
type importing struct {
	*Service
	actor  access.Actor
	scope  access.Scope
	rows   []*planned
	places map[[2]string]placed // owner and organization as the file names them
	// What lies outside the scope: serial numbers of tokens, and names of accounts.
	beyond, beyondOwners []string
}

// planned is a row and what is to become of it.
type planned struct {
	importRow
	outcome Outcome
	place   placed
	version int // of the secrets in the vault, once they are there
}

func (p *planned) serial() string { return p.cells[columnSerial] }

func (p *planned) fail(f fault.Field) {
	p.outcome = HasFailed
	p.bad = append(p.bad, f)
}

func (p *planned) result() ImportedRow {
	out := ImportedRow{Line: p.line, Outcome: p.outcome, Errors: p.bad}
	if piv.ValidSerial(p.serial()) {
		out.Serial = p.serial()
	}
	return out
}

func (p *planned) registration() Registration {
	return Registration{
		Serial: p.serial(), Label: p.cells[columnLabel], Model: p.cells[columnModel],
		FirmwareVersion: p.cells[columnFirmware], FormFactor: p.cells[columnFormFactor],
	}
}

// plan decides what is to become of each row. Nothing is written.
func (im *importing) plan(ctx context.Context, rows []importRow) error {
	serials := make([]string, 0, len(rows))
	for _, row := range rows {
		serials = append(serials, row.cells[columnSerial], piv.CanonicalSerial(row.cells[columnSerial]))
	}
	existing, err := im.existing(ctx, slices.DeleteFunc(serials, func(s string) bool { return !piv.ValidSerial(s) }))
	if err != nil {
		return err
	}
	lines := make(map[string]int, len(rows)) // by serial, folded
	for _, row := range rows {
		p := &planned{importRow: row, outcome: WasCreated}
		im.rows = append(im.rows, p)
		shifted := len(p.bad) > 0 // its cells may be others'
		if shifted {
			p.outcome = HasFailed
		}
		if existing[piv.SerialKey(p.serial())] == nil {
			p.cells[columnSerial] = piv.CanonicalSerial(p.serial())
		}
		for _, bad := range checkRegistration(p.registration()) {
			p.fail(bad)
		}
		key := piv.SerialKey(p.serial())
		if shifted {
			continue
		}
		if first, twice := lines[key]; twice && key != "" {
			p.fail(fault.Wrongf("serial", "repeated", "is already in line {line}", fault.Params{"line": first}))
			continue
		}
		lines[key] = p.line
		if err := im.settle(ctx, p, existing[key]); err != nil {
			return err
		}
	}
	if err := im.Denials.Beyond(ctx, im.actor, "import-hwkeys", "hwkey", im.beyond...); err != nil {
		return err
	}
	slices.Sort(im.beyondOwners)
	return im.Denials.Beyond(ctx, im.actor, "import-hwkeys", "user", slices.Compact(im.beyondOwners)...)
}

func (im *importing) existing(ctx context.Context, serials []string) (map[string]*Device, error) {
	devices, err := im.Store.DevicesBySerial(ctx, serials)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*Device, len(devices))
	for i, d := range devices {
		out[piv.SerialKey(d.Serial)] = &devices[i]
	}
	return out, nil
}

// settle decides on a row, knowing the token of that serial that is on
// record, or nil.
func (im *importing) settle(ctx context.Context, p *planned, existing *Device) error {
	if existing != nil && !im.scope.Allows(existing.OrganizationID, existing.OwnerID) {
		// Nothing more is said: a row with the right owner must not answer
		// differently from one with a wrong one.
		im.beyond = append(im.beyond, p.serial())
		p.bad = nil
		p.fail(fault.Wrong("serial", "serial_closed", "cannot be registered; if you hold this token, ask a global administrator"))
		return nil
	}
	place, err := im.find(ctx, p.cells[columnOwner], p.cells[columnOrganization])
	if err != nil {
		return err
	}
	p.place = place
	for _, bad := range place.bad {
		p.fail(bad)
	}
	if existing != nil {
		p.compare(*existing)
		return nil
	}
	for _, bad := range place.refused {
		p.fail(bad)
	}
	return nil
}

// compare holds a row against the token on record. An empty cell says
// nothing, so it cannot differ.
func (p *planned) compare(d Device) {
	if p.outcome == HasFailed {
		return
	}
	p.outcome = WasUnchanged
	differs := func(c column, differs bool) {
		if differs && p.cells[c] != "" {
			p.fail(fault.Wrong(columnNames[c], "differs", "differs from the registered token; an import never changes existing tokens"))
		}
	}
	differs(columnLabel, p.cells[columnLabel] != d.Label)
	differs(columnModel, p.cells[columnModel] != d.Model)
	differs(columnFirmware, p.cells[columnFirmware] != d.FirmwareVersion)
	differs(columnFormFactor, p.cells[columnFormFactor] != d.FormFactor)
	differs(columnOwner, !access.SameID(p.place.ownerNamed, d.OwnerID))
	differs(columnOrganization, !access.SameID(p.place.organizationNamed, d.OrganizationID))
}
