package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/keyward/keyward/internal/vault"
)

// maxDocument is the largest document as JSON, in bytes. It is what a
// HashiCorp Vault on its integrated storage takes.
const maxDocument = 1 << 20

// encodeData makes the JSON of a document. Its errors say nothing of the
// values: encoding/json would quote them.
func encodeData(data vault.Data) ([]byte, error) {
	if data == nil {
		return nil, invalid("the document is missing")
	}
	b, err := json.Marshal(data)
	if err != nil {
		return nil, invalid("the document holds a value that JSON cannot express")
	}
	if len(b) > maxDocument {
		return nil, invalid("the document is larger than 1 MiB")
	}
	if hasReplacement(b) {
		return nil, invalid("the document holds a text that is not valid UTF-8")
	}
	return b, nil
}

// hasReplacement tells whether encoding/json replaced bytes that are not
// UTF-8, which would silently change a secret. It writes the escape \ufffd
// for those alone; a real U+FFFD stays as it is.
func hasReplacement(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(b[i:], []byte(`\ufffd`)) {
			return true
		}
		i++ // the escaped character
	}
	return false
}

func decodeData(b []byte) (vault.Data, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var data vault.Data
	if err := dec.Decode(&data); err != nil || data == nil {
		return nil, tampered("a document is malformed")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, tampered("a document is malformed")
	}
	return data, nil
}

// dataKey is path 00 version: the versions of a path lie side by side, and no
// path contains a zero byte.
func dataKey(path string, number int) []byte {
	b := make([]byte, 0, len(path)+5)
	b = append(append(b, path...), 0)
	return binary.BigEndian.AppendUint32(b, uint32(number))
}
