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
	// DevicesBySerial returns those of the serials that are registered, with any owner
	// and in no particular order.
	DevicesBySerial(ctx context.Context, serials []string) ([]Device, error)
	// InsertDevices is InsertDevice for many, in one transaction. outcomes has, for
	// each, nil or the error InsertDevice would have returned; one that fails does not
	// stop the others.
	InsertDevices(ctx context.Context, devices []NewDevice) (outcomes []error, err error)
}

// NewDevice is a device to insert and its entry.
type NewDevice struct {
	Device Device
	Entry  audit.Entry
}

// Import is the result of an import, or, for a dry run, what it would be.
type Import struct {
	DryRun                     bool
	Created, Unchanged, Failed int
	Rows                       []ImportedRow // in the file's order
}

// ImportedRow is the result for one row.
type ImportedRow struct {
	Line    int
	Serial  string // empty if invalid
	Outcome RowResult
	Errors  []fault.Field // why it failed
}

// maxImports is how many imports one process runs at once.
const maxImports = 2

// Import registers the tokens of a CSV file. It never changes a registered token: a
// row that agrees with it is unchanged, any other fails. Importing the same file
// again, also after an interruption, thus does the rest. A failed row does not stop
// the others; when the vault or the database fails, the import returns that error
// and what is done stays.
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

// mayGrow returns LicenseRestricted while no token may be added.
func (s *Service) mayGrow(ctx context.Context) error {
	if s.Grows == nil {
		return nil
	}
	return s.Grows(ctx)
}

// grows reports whether the import adds a token.
func (im *importing) grows() bool {
	return slices.ContainsFunc(im.rows, func(p *planned) bool { return p.outcome == WasCreated })
}

// importing is an import in progress.
type importing struct {
	*Service
	actor  access.Actor
	scope  access.Scope
	rows   []*planned
	places map[[2]string]placed // by owner and organization as in the file
	// Outside the scope: serial numbers of tokens, and names of accounts.
	beyond, beyondOwners []string
}

// planned is a row and what is to be done with it.
type planned struct {
	importRow
	outcome RowResult
	place   placed
	version int // of the secrets in the vault, once stored
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

// plan decides what to do with each row. It writes nothing.
func (im *importing) plan(ctx context.Context, rows []importRow) error {
	serials := make([]string, 0, len(rows))
	for _, row := range rows {
		serials = append(serials, row.cells[columnSerial], piv.CanonicalSerial(row.cells[columnSerial]))
	}
	existing, err := im.existing(ctx, slices.DeleteFunc(serials, func(s string) bool { return !piv.ValidSerial(s) }))
	if err != nil {
		return err
	}
	lines := make(map[string]int, len(rows)) // by case-folded serial
	for _, row := range rows {
		p := &planned{importRow: row, outcome: WasCreated}
		im.rows = append(im.rows, p)
		shifted := len(p.bad) > 0 // its cells may belong to other columns
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

// settle decides on a row, given the registered token with that serial, or nil.
func (im *importing) settle(ctx context.Context, p *planned, existing *Device) error {
	if existing != nil && !im.scope.Allows(existing.OrganizationID, existing.OwnerID) {
		// Say no more: a row with the right owner must be answered like one with a wrong one.
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

// compare compares a row with the registered token. An empty cell never differs.
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
