// Package line writes audit entries as lines of text: JSON as in the API (NDJSON,
// for exports and SIEMs), and CSV (RFC 4180) safe against formula injection. The
// encoders append, since an export may have millions of lines.
package line

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/audit"
)

// AppendJSON appends the entry as one JSON object, without a newline: the fields of
// GET /api/admin/audit, in their order. Invalid UTF-8 becomes U+FFFD.
func AppendJSON(b []byte, e *audit.Entry) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, e.ID, 10)
	b = append(b, `,"at":"`...)
	b = e.At.UTC().AppendFormat(b, time.RFC3339Nano)
	b = text(append(b, `","action":`...), string(e.Action))
	b = text(append(b, `,"outcome":`...), string(e.Outcome))
	b = number(append(b, `,"actor_id":`...), e.ActorID, "null")
	b = text(append(b, `,"actor":`...), e.Actor)
	b = number(append(b, `,"organization_id":`...), e.OrganizationID, "null")
	b = text(append(b, `,"target_type":`...), e.TargetType)
	b = text(append(b, `,"target_id":`...), e.TargetID)
	b = text(append(b, `,"hostname":`...), e.Hostname)
	b = text(append(b, `,"ip_address":`...), e.IPAddress)
	b = text(append(b, `,"request_id":`...), e.RequestID)
	b = text(append(b, `,"reason":`...), e.Reason)
	b = text(append(b, `,"details":`...), e.Details)
	b = text(append(b, `,"file_name":`...), e.FileName)
	b = text(append(b, `,"backup_type":`...), e.BackupType)
	b = number(append(b, `,"duration_ms":`...), e.DurationMS, "null")
	b = number(append(b, `,"size_bytes":`...), e.SizeBytes, "null")
	return append(b, '}')
}

func number(b []byte, n *int64, absent string) []byte {
	if n == nil {
		return append(b, absent...)
	}
	return strconv.AppendInt(b, *n, 10)
}

const hexDigits = "0123456789abcdef"

// text appends a JSON string (RFC 8259, section 7).
func text(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c >= utf8.RuneSelf:
			b = append(b, `\ufffd`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
		i += size
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// CSVHeader is the first line of a CSV file.
const CSVHeader = "id,at,action,outcome,actor_id,actor,organization_id,target_type,target_id,hostname,ip_address,request_id," +
	"reason,details,file_name,backup_type,duration_ms,size_bytes\r\n"

// AppendCSV appends the entry as one line, with its end. Null becomes an empty cell.
func AppendCSV(b []byte, e *audit.Entry) []byte {
	b = strconv.AppendInt(b, e.ID, 10)
	b = e.At.UTC().AppendFormat(append(b, ','), time.RFC3339Nano)
	b = cell(append(b, ','), string(e.Action))
	b = cell(append(b, ','), string(e.Outcome))
	b = number(append(b, ','), e.ActorID, "")
	b = cell(append(b, ','), e.Actor)
	b = number(append(b, ','), e.OrganizationID, "")
	for _, s := range [...]string{e.TargetType, e.TargetID, e.Hostname, e.IPAddress, e.RequestID,
		e.Reason, e.Details, e.FileName, e.BackupType} {
		b = cell(append(b, ','), s)
	}
	b = number(append(b, ','), e.DurationMS, "")
	b = number(append(b, ','), e.SizeBytes, "")
	return append(b, '\r', '\n')
}

// AppendCell appends a text as a CSV cell, escaped as in AppendCSV, for other files.
func AppendCell(b []byte, s string) []byte { return cell(b, s) }

// cell appends a text, quoted if necessary. A spreadsheet would evaluate a cell that
// begins like a formula: a leading apostrophe makes it text (OWASP, "CSV
// Injection"). Where the list separator is a semicolon, as in German or French
// Excel, quotes may not keep a cell together, so text after a separator or line end
// is escaped too.
func cell(b []byte, s string) []byte {
	if s == "" {
		return b
	}
	quote := s[0] == ' ' || s[0] == '\'' || s[0] == '\t' || strings.ContainsAny(s, ",;\"\r\n")
	if quote {
		b = append(b, '"')
	}
	if formula(s) || separator(s[0]) && s[0] != ';' {
		b = append(b, '\'')
	}
	begins := false // a spreadsheet may take what follows for the beginning of a cell
	for i := range len(s) {
		if begins && formula(s[i:]) {
			b = append(b, '\'')
		}
		begins = separator(s[i]) || begins && (s[i] == '"' || s[i] == ' ')
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	if quote {
		b = append(b, '"')
	}
	return b
}

// formula reports whether a spreadsheet may take the text for a formula: it begins
// with = + - @ or their full-width forms, which some spreadsheets fold first.
func formula(s string) bool {
	switch s[0] {
	case '=', '+', '-', '@':
		return true
	case "＝"[0]:
		return strings.HasPrefix(s, "＝") || strings.HasPrefix(s, "＋") || strings.HasPrefix(s, "－") || strings.HasPrefix(s, "＠")
	}
	return false
}

func separator(c byte) bool { return c == ';' || c == '\t' || c == '\r' || c == '\n' }
