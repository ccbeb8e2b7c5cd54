package archive_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/test/must"
)

// dumped is a line of hexdump -C.
var dumped = regexp.MustCompile(`(?m)^    [0-9a-f]{8}  ((?:[0-9a-f]{2} +){1,16})\|`)

// TestDocumentation: the example of docs/backup-format.md opens and has the
// documented contents, and its reader is the one that the tests use.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	page := string(must.Get(os.ReadFile("../../docs/backup-format.md"))(t))
	var file []byte
	for _, line := range dumped.FindAllStringSubmatch(page, -1) {
		file = append(file, must.Get(hex.DecodeString(strings.ReplaceAll(line[1], " ", "")))(t)...)
	}
	const password = "correct horse battery"
	a, got, err := read(file, key(password))
	if err != nil || got.sql != "INSERT INTO t VALUES ('é');\n" || len(got.secrets) > 0 || a.Header.Type != archive.Database {
		t.Errorf("%d bytes in the example: %v", len(file), err)
	}
	salt := file[bytes.IndexByte(file, '}')+1:][:32]
	if !strings.Contains(page, hex.EncodeToString(key(password)(salt))) {
		t.Error("the example has another key")
	}
	reader := string(must.Get(os.ReadFile("testdata/read_backup.py"))(t))
	if !strings.Contains(page, "```python\n"+reader+"```\n") {
		t.Error("the page shows another reader than testdata/read_backup.py")
	}
}
