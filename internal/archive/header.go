package archive

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// The parts of a file before its ciphertext (specification, "Backup file").
const (
	magicName   = "KEYWARD_BACKUP_V"
	magic       = magicName + "1"
	lengthBytes = 4
	maxHeader   = 64 << 10
	saltBytes   = 32
	version     = 1
)

// Type is what a backup includes.
type Type string

// The types.
const (
	Full     Type = "full"
	Database Type = "database"
	Vault    Type = "vault"
)

// Header describes a backup. A file has it twice: readable by anyone, and encrypted
// with the data. Open has compared the two.
type Header struct {
	CreatedAt     time.Time // UTC
	Type          Type
	IncludesDB    bool
	IncludesKV    bool
	IncludesAudit bool // the database's audit log
	Checksum      string
}

// NewHeader returns the header of a new backup; audit only matters for one with a
// database.
func NewHeader(t Type, createdAt time.Time, audit bool) Header {
	return Header{
		CreatedAt: createdAt.UTC().Truncate(time.Second), Type: t,
		IncludesDB: t != Vault, IncludesKV: t != Database, IncludesAudit: audit && t != Vault,
	}
}

// check refuses an inconsistent header.
func (h Header) check() error {
	switch {
	case h.Type != Full && h.Type != Database && h.Type != Vault:
		return malformed("the header's backup_type is none of full, database, vault")
	case h.IncludesDB != (h.Type != Vault) || h.IncludesKV != (h.Type != Database):
		return malformed("the header's backup_type is another than what the backup includes")
	}
	return nil
}

// outer is the header in front, inner the payload's. All members are required.
type outer struct {
	Version       *int    `json:"version"`
	CreatedAt     *string `json:"created_at"`
	BackupType    *Type   `json:"backup_type"`
	Checksum      *string `json:"checksum"`
	IncludesDB    *bool   `json:"includes_db"`
	IncludesKV    *bool   `json:"includes_kv"`
	IncludesAudit *bool   `json:"includes_audit"`
}

type inner struct {
	Version       *int    `json:"version"`
	CreatedAt     *string `json:"created_at"`
	BackupType    *Type   `json:"backup_type"`
	IncludesDB    *bool   `json:"includes_db"`
	IncludesKV    *bool   `json:"includes_kv"`
	IncludesAudit *bool   `json:"includes_audit_logs"`
}

func (h Header) outer() outer {
	return outer{new(version), new(h.time()), &h.Type, &h.Checksum, &h.IncludesDB, &h.IncludesKV, &h.IncludesAudit}
}

func (h Header) inner() inner {
	return inner{new(version), new(h.time()), &h.Type, &h.IncludesDB, &h.IncludesKV, &h.IncludesAudit}
}

func (h Header) time() string { return h.CreatedAt.Format(time.RFC3339Nano) }

// parseOuter parses the header in front. A later version is backup_newer, whatever else it says.
func parseOuter(text []byte) (Header, error) {
	var later struct {
		Version any `json:"version"`
	}
	if json.Unmarshal(text, &later) != nil {
		return Header{}, corruptHeader(malformed("the header is no JSON object of one meaning"))
	}
	if n, ok := later.Version.(float64); ok && n >= version+1 {
		return Header{}, Newer(fmt.Errorf("the header has version %v", n))
	}
	var o outer
	if json.Unmarshal(text, &o) != nil || o.Checksum == nil {
		return Header{}, corruptHeader(malformed("the header lacks a member, or has one of another kind"))
	}
	h, err := inner{o.Version, o.CreatedAt, o.BackupType, o.IncludesDB, o.IncludesKV, o.IncludesAudit}.header()
	if err != nil {
		return Header{}, corruptHeader(err)
	}
	if sum, err := hex.DecodeString(*o.Checksum); err != nil || len(sum) != 32 {
		return Header{}, corruptHeader(malformed("the header's checksum is not 64 hexadecimal digits"))
	}
	h.Checksum = strings.ToLower(*o.Checksum)
	return h, nil
}

// parseInner parses the payload's header.
func parseInner(text []byte) (Header, error) {
	var in inner
	if json.Unmarshal(text, &in) != nil {
		return Header{}, malformed("the payload's header has a member of another kind")
	}
	return in.header()
}

func (in inner) header() (Header, error) {
	if in.Version == nil || in.CreatedAt == nil || in.BackupType == nil || in.IncludesDB == nil || in.IncludesKV == nil ||
		in.IncludesAudit == nil {
		return Header{}, malformed("the header lacks a member")
	}
	created, err := parseTime(*in.CreatedAt)
	if err != nil || *in.Version != version {
		return Header{}, malformed("the header's created_at is no timestamp of ISO 8601, or its version is not 1")
	}
	h := Header{
		CreatedAt: created.UTC(), Type: *in.BackupType,
		IncludesDB: *in.IncludesDB, IncludesKV: *in.IncludesKV, IncludesAudit: *in.IncludesAudit,
	}
	return h, h.check()
}

// parseTime parses a timestamp (ISO 8601; specification, "Backup file"): RFC 3339,
// or without a zone, which means UTC.
func parseTime(text string) (at time.Time, err error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if at, err = time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return at, err
}

// agree compares what the two headers share.
func (h Header) agree(in Header) error {
	switch {
	case !h.CreatedAt.Equal(in.CreatedAt):
		return headersDiffer("created_at")
	case h.Type != in.Type: // it determines the other two
		return headersDiffer("backup_type")
	case h.IncludesAudit != in.IncludesAudit:
		return headersDiffer("includes_audit")
	}
	return nil
}

var laterMagic = regexp.MustCompile(`^` + magicName + `[2-9]$`)

// head is everything before the ciphertext.
type head struct {
	Header
	salt, nonce []byte
	size        int64 // bytes in total
}

// ReadHeader reads the beginning of a file, at most MaxHead bytes, and derives no
// key. The header is not authenticated: anyone who can write the file can change it.
func ReadHeader(r io.Reader) (Header, error) {
	h, err := readHead(r)
	return h.Header, err
}

// MaxHead is the maximum size before the ciphertext, in bytes.
const MaxHead = len(magic) + lengthBytes + maxHeader + saltBytes + nonceBytes

func readHead(r io.Reader) (head, error) {
	start := make([]byte, len(magic)+lengthBytes)
	n, err := io.ReadFull(r, start)
	switch found := start[:min(n, len(magic))]; {
	case err != nil && !ended(err):
		return head{}, err
	case strings.HasPrefix(magic, string(found)): // a prefix, if the file is cut short
	case laterMagic.Match(found):
		return head{}, Newer(fmt.Errorf("the file begins with %s", found))
	default:
		return head{}, notABackup()
	}
	if err != nil {
		return head{}, truncated(err)
	}
	length := binary.BigEndian.Uint32(start[len(magic):])
	if length == 0 || length > maxHeader {
		return head{}, corruptHeader(fmt.Errorf("a header of %d bytes", length))
	}
	rest := make([]byte, int(length)+saltBytes+nonceBytes)
	if _, err := io.ReadFull(r, rest); ended(err) {
		return head{}, truncated(err)
	} else if err != nil {
		return head{}, err
	}
	h, err := parseOuter(rest[:length])
	salt := rest[length : length+saltBytes]
	return head{h, salt, rest[length+saltBytes:], int64(len(start) + len(rest))}, err
}

// ended reports whether a reader ended too early.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// append adds the head to a file.
func (h head) append(file []byte) ([]byte, error) {
	text, err := json.Marshal(h.outer())
	if err != nil {
		return nil, fmt.Errorf("archive: header: %w", err)
	}
	file = append(file, magic...)
	file = binary.BigEndian.AppendUint32(file, uint32(len(text)))
	file = append(append(file, text...), h.salt...)
	return append(file, h.nonce...), nil
}
