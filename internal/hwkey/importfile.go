package hwkey

import (
	"github.com/keyward/keyward/internal/csvrows"
	"github.com/keyward/keyward/internal/fault"
)

// MaxImportRows is how many tokens a file may have.
const MaxImportRows = 20_000

// column is a column of an import file.
type column int

// The columns, in the order of columnNames.
const (
	columnSerial column = iota
	columnLabel
	columnModel
	columnFirmware
	columnFormFactor
	columnOwner
	columnOrganization
)

// columnNames are the header's names (contract, POST /api/hwkey/import).
var columnNames = []string{"serial", "label", "model", "firmware_version", "form_factor", "owner", "organization"}

var importFormat = csvrows.Format{Columns: columnNames, Needs: []string{"serial"}, Max: MaxImportRows}

// importRow is a line of a file.
type importRow struct {
	line  int
	cells [7]string
	bad   []fault.Field
}

func parseImport(raw []byte) ([]importRow, error) {
	read, err := importFormat.Parse(raw)
	if err != nil {
		return nil, err
	}
	rows := make([]importRow, len(read))
	for i, r := range read {
		rows[i] = importRow{r.Line, [7]string(r.Cells), r.Bad}
	}
	return rows, nil
}
