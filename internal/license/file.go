package license

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// Bounds of a license file.
const (
	MaxFile    = 16 << 10 // bytes
	maxText    = 200      // characters of a name or an email address
	maxType    = 64
	maxMention = 100 // of an unknown field's name in an error
)

// File is a well-formed license from the vendor. Keys.Verify checks whether it is authentic.
type File struct {
	License   License
	signed    []byte // canonical JSON, which the signature covers
	signature []byte
}

// envelope is the file, object the signed part. Every field is a text.
type (
	envelope struct {
		License   jsontext.Value `json:"license"`
		Signature string         `json:"signature"`
	}
	object struct {
		InstallationID string `json:"installation_id"`
		CustomerName   string `json:"customer_name"`
		CustomerEmail  string `json:"customer_email"`
		IssueDate      string `json:"issue_date"`
		ExpiryDate     string `json:"expiry_date"`
		LicenseType    string `json:"license_type"`
	}
)

// Parse reads a license file: {"license":{…},"signature":"…"}. It refuses unknown and
// duplicate fields, and trailing data. The error is a *Rejected, malformed.
func Parse(text []byte) (File, error) {
	if len(text) > MaxFile {
		return File{}, malformed(fault.Wrongf("file", "too_large_file", "must have at most {max} bytes", fault.Params{"max": MaxFile}))
	}
	if !utf8.Valid(text) {
		return File{}, malformed(fault.Wrong("file", "not_utf8", "is not valid UTF-8"))
	}
	var outer envelope
	if err := json.Unmarshal(text, &outer, json.RejectUnknownMembers(true)); err != nil {
		return File{}, malformed(objection("", err))
	}
	var inner object
	if outer.License.Kind() != '{' {
		return File{}, malformed(absent("license", len(outer.License) == 0))
	}
	if err := json.Unmarshal(outer.License, &inner, json.RejectUnknownMembers(true)); err != nil {
		return File{}, malformed(objection("license", err))
	}
	l, wrong := inner.read()
	signature, ok := decode64(outer.Signature, ed25519.SignatureSize)
	if !ok {
		wrong = append(wrong, fault.Wrongf("signature", "not_base64", "must be {bytes} bytes in base64",
			fault.Params{"bytes": ed25519.SignatureSize}))
	}
	if len(wrong) > 0 {
		return File{}, malformed(wrong...)
	}
	signed, err := Canonical(outer.License)
	if err != nil {
		return File{}, malformed(objection("license", err))
	}
	return File{License: l, signed: signed, signature: signature}, nil
}

// NewFile returns the license with a signature over Signed(l). Its error is that of Parse.
func NewFile(l License, signature []byte) (File, error) {
	signed, err := Signed(l)
	if err != nil {
		return File{}, err
	}
	return Parse(File{signed: signed, signature: signature}.Text())
}

// Check reports whether a license is well-formed. Its error is that of Parse.
func Check(l License) error {
	_, err := NewFile(l, make([]byte, ed25519.SignatureSize))
	return err
}

// Signed returns what the vendor signs: the canonical JSON of a license, with dates in UTC.
func Signed(l License) ([]byte, error) {
	text, err := json.Marshal(object{
		InstallationID: l.InstallationID, CustomerName: l.CustomerName, CustomerEmail: l.CustomerEmail, LicenseType: l.LicenseType,
		IssueDate: l.IssueDate.UTC().Format(time.RFC3339), ExpiryDate: l.ExpiryDate.UTC().Format(time.RFC3339),
	})
	if err != nil {
		return nil, err
	}
	return Canonical(text)
}

// Text returns the file in canonical JSON, for Parse.
func (f File) Text() []byte {
	return []byte(`{"license":` + string(f.signed) + `,"signature":"` + base64.StdEncoding.EncodeToString(f.signature) + `"}`)
}

// read converts the fields to their types, and returns everything that is wrong.
func (o object) read() (l License, wrong []fault.Field) {
	l = License{
		InstallationID: o.InstallationID, CustomerName: o.CustomerName, CustomerEmail: o.CustomerEmail, LicenseType: o.LicenseType,
	}
	for _, text := range []struct {
		name, value string
		most        int
	}{{"customer_name", o.CustomerName, maxText}, {"customer_email", o.CustomerEmail, maxText}, {"license_type", o.LicenseType, maxType}} {
		if strings.TrimSpace(text.value) == "" || !textinput.ValidLine(text.value, text.most) {
			wrong = append(wrong, fault.BadName("license."+text.name, text.most))
		}
	}
	if _, ok := decode64(o.InstallationID, sha256.Size); !ok {
		wrong = append(wrong, fault.Wrong("license.installation_id", "bad_installation_id",
			"is not an installation ID, which has 44 characters"))
	}
	for _, date := range []struct {
		name, value string
		into        *time.Time
	}{{"issue_date", o.IssueDate, &l.IssueDate}, {"expiry_date", o.ExpiryDate, &l.ExpiryDate}} {
		if date.into.UnmarshalText([]byte(date.value)) != nil {
			wrong = append(wrong, fault.Wrongf("license."+date.name, "bad_format", "must be a valid {format}", fault.Params{"format": "date-time"}))
		}
	}
	if len(wrong) == 0 && !l.ExpiryDate.After(l.IssueDate) {
		wrong = append(wrong, fault.Wrong("license.expiry_date", "not_after_issue", "must be later than issue_date"))
	}
	return l, wrong
}

// objection converts an error of the JSON library about the file, or the object named within.
func objection(within string, err error) fault.Field {
	var at jsontext.Pointer
	semantic, _ := errors.AsType[*json.SemanticError](err)
	syntactic, _ := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case semantic != nil:
		at = semantic.JSONPointer
	case syntactic != nil:
		at = syntactic.JSONPointer
	}
	name := strings.Trim(within+"."+mention(at), ".")
	if name == "" {
		name = "file"
	}
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return fault.Wrong(name, "not_in_license", "is not a field of a license")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fault.Wrong(name, "duplicate_field", "appears more than once")
	case semantic != nil:
		return absent(name, false)
	default:
		return fault.Wrong("file", "not_json", "is not valid JSON")
	}
}

func absent(name string, is bool) fault.Field {
	kind := "string"
	switch {
	case is:
		return fault.Required(name)
	case name == "license" || name == "file":
		kind = "object"
	}
	return fault.Wrongf(name, "wrong_type", "must be of type {type}", fault.Params{"type": kind})
}

// mention returns a place in the file as a field name, fit for a response and a log.
func mention(at jsontext.Pointer) string {
	var names []string
	for name := range at.Tokens() {
		runes := []rune(textinput.CleanLine(name))
		names = append(names, string(runes[:min(len(runes), maxMention)]))
	}
	return strings.Join(names, ".")
}
