package embedded

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
)

// header is the only record in the clear: the kind of seal and the wrapped data-encryption key.
type header struct {
	Format int    `json:"format"`
	Seal   string `json:"seal"`
	Params []byte `json:"params"`
	KeyID  []byte `json:"key_id"` // tells a wrong key from a changed file
	DEK    []byte `json:"dek"`
}

const formatVersion = 1

// wrapDEK makes the header, encoded.
func wrapDEK(kind string, params, kek, dek []byte) ([]byte, error) {
	h := header{Format: formatVersion, Seal: kind, Params: params}
	wrap, id, err := kekKeys(kek)
	if err != nil {
		return nil, err
	}
	h.KeyID = id
	h.DEK = (&keyring{record: wrap}).seal("header", nil, h.associated(), dek)
	return h.encode()
}

// unwrap returns the data-encryption key: errWrongKey for another seal key, vault.ErrTampered if
// the key is right and the header is not.
func (h header) unwrap(kek []byte) ([]byte, error) {
	wrap, id, err := kekKeys(kek)
	if err != nil {
		return nil, err
	}
	dek, err := (&keyring{record: wrap}).open("header", nil, h.associated(), h.DEK)
	sameKey := hmac.Equal(id, h.KeyID)
	switch {
	case err != nil && !sameKey:
		return nil, errWrongKey
	case err != nil:
		return nil, err
	case !sameKey || len(dek) != keySize:
		return nil, tampered("the header does not fit its key")
	}
	return dek, nil
}

func (h header) associated() []byte {
	b := append([]byte{byte(h.Format), byte(len(h.Seal))}, h.Seal...)
	return append(b, h.Params...)
}

func kekKeys(kek []byte) (wrap, id []byte, err error) {
	if wrap, err = hkdf.Expand(sha256.New, kek, "keyward vault 1 wrap", keySize); err != nil {
		return nil, nil, err
	}
	id, err = hkdf.Expand(sha256.New, kek, "keyward vault 1 key id", 8)
	return wrap, id, err
}

func (h header) encode() ([]byte, error) { return json.Marshal(h) }

// parseHeader accepts only what encode wrote, byte for byte.
func parseHeader(b []byte) (header, error) {
	var h header
	if err := json.Unmarshal(b, &h); err != nil {
		return header{}, tampered("the header is malformed")
	}
	again, err := h.encode()
	if err != nil || !bytes.Equal(again, b) {
		return header{}, tampered("the header is malformed")
	}
	if h.Format != formatVersion {
		return header{}, tampered("the header names a format that this version of Keyward does not know")
	}
	return h, nil
}
