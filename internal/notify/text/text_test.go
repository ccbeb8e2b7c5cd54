package text_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/test/must"
)

var write = flag.Bool("write", false, "write testdata anew, to be read by a person who knows the language")

var languages = []string{text.English, text.German}

// zone needs no time zone files of the machine.
var zone = time.FixedZone("CET", 3600)

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *write {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(must.Get(os.ReadFile(file))(t)); got != want {
		t.Errorf("%s is not what is made now. Read it, and write it with -write if it is right:\n%s", file, got)
	}
}

// TestForms compares messages that have several forms with reviewed ones. For a
// message with one form, that would merely repeat its text.
func TestForms(t *testing.T) {
	t.Parallel()
	forms := map[notify.Kind]int{}
	for _, s := range samples {
		forms[s.kind]++
	}
	for _, lang := range languages {
		var b strings.Builder
		for _, s := range samples {
			m, err := text.Render(s.kind, s.params, lang, zone)
			if err != nil {
				t.Errorf("%s: %v", lang, err)
			}
			if err != nil || forms[s.kind] == 1 {
				continue
			}
			fmt.Fprintf(&b, "[%s]\n# %s\n", s.kind, m.Subject)
			for _, line := range m.Lines {
				b.WriteString(line + "\n")
			}
			for _, line := range m.List {
				b.WriteString("- " + line + "\n")
			}
			if m.Action != nil {
				fmt.Fprintf(&b, "> %s: %s\n", m.Action.Text, m.Action.Path)
			}
			b.WriteString("\n")
		}
		golden(t, lang+".txt", b.String())
	}
}

// TestEveryKind: each kind of the table has a text in each language, and a sample
// that checks it.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	have := map[notify.Kind]bool{}
	for _, s := range samples {
		have[s.kind] = true
	}
	for _, row := range notify.Table {
		if !have[row.Kind] {
			t.Errorf("%s has no sample", row.Kind)
		}
	}
	if !text.Known("de") || text.Known("fr") {
		t.Error("German is not known, or French is")
	}
}

// TestMails holds the forms of a mail.
func TestMails(t *testing.T) {
	t.Parallel()
	for _, lang := range languages {
		for name, l := range map[string]text.Letter{
			"security": {Text: must.Get(text.Render(notify.TokenUnblocked,
				notify.Params{"by": "helpdesk", "serial": "20260101", "reason": "ticket 4711"}, lang, zone))(t),
				Name: "alex", Lang: lang, SiteURL: "https://keyward.example.com/", Foot: text.OfAccount},
			"optional": {Text: must.Get(text.Render(notify.CertificatesExpireSummary, notify.Params{"n14": "2", "tokens": "20260101\n20260102"},
				lang, zone))(t), Name: "alex", Lang: lang, SiteURL: "https://keyward.example.com", Foot: text.Chosen},
			"invitation": {Text: must.Get(text.Render(notify.Invitation,
				notify.Params{"by": "helpdesk", "username": "alex", "expires_at": "2026-12-04T08:05:00Z"}, lang, zone))(t),
				Lang: lang, SiteURL: "https://keyward.example.com", Foot: text.Invited,
				Link: "https://keyward.example.com/invitation#token=abc&x=1"},
		} {
			golden(t, lang+"-"+name+".eml.txt", must.Get(l.Plain())(t))
			if lang == text.English || name == "security" {
				golden(t, lang+"-"+name+".html", must.Get(l.HTML())(t))
			}
		}
	}
}

// TestFeet: a mail ends with its reason, or a link to where it is turned off.
func TestFeet(t *testing.T) {
	t.Parallel()
	for kind, want := range map[notify.Kind]string{
		notify.TokenReset:      "-- \nYou get this email because it is about the security of your account.\nSent",
		notify.AuditSealBroken: "-- \nYou get this email because you are a global administrator.\nSent",
		notify.StoresDisagree:  "-- \nYou get this email because you are a global administrator.\nSent",
		notify.BackupFailed:    "-- \nChoose which emails you get in your profile:\nhttps://x.example/profile#notifications\nSent",
		"":                     "-- \nSent", // a test message
	} {
		l := text.Letter{Lang: "en", SiteURL: "https://x.example"}
		if row, ok := notify.RowOf(kind); ok {
			l.Foot = text.FootOf(row)
		}
		if got := must.Get(l.Plain())(t); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s", kind, got)
		}
	}
}

// TestForeign: input of others becomes one line, without HTML or anything that a mail
// program turns into a link.
func TestForeign(t *testing.T) {
	t.Parallel()
	const nasty = "a\r\nBcc: x@example.com\u2028<script>alert(1)</script>&\"' https://evil.example/ WWW.evil.example"
	for _, s := range samples {
		params := notify.Params{}
		for name, value := range s.params {
			switch name {
			case "by", "label", "former", "reason", "organization", "ip", "code", "error", "tokens":
				value = nasty
			case "cause":
				value = notify.Cause(fault.New(fault.StorageUnavailable, "s3_denied", "No.").Sentence())
				value = strings.Replace(value, `"reason"`, fmt.Sprintf(`"action":%q,"reason"`, "a\r\nBcc: x@example.com"), 1)
			case "serial", "certificate":
				value = "../" + nasty
			}
			params[name] = value
		}
		for _, lang := range languages {
			m := must.Get(text.Render(s.kind, params, lang, zone))(t)
			for _, line := range append([]string{m.Subject}, append(m.Lines, m.List...)...) {
				if strings.ContainsAny(line, "\r\n\u2028") {
					t.Errorf("%s, %s: %q is more than one line", s.kind, lang, line)
				}
				if strings.Contains(line, "://") || strings.Contains(line, "evil.") {
					t.Errorf("%s, %s: %q becomes a link", s.kind, lang, line)
				}
			}
			html := must.Get(text.Letter{Text: m, Name: nasty, Lang: lang, SiteURL: "https://keyward.example.com"}.HTML())(t)
			if strings.Contains(html, "<script") {
				t.Errorf("%s, %s: the mail has a script:\n%s", s.kind, lang, html)
			}
			if m.Action != nil && (strings.Contains(m.Action.Path, "../") || strings.ContainsAny(m.Action.Path, "\r\n <")) {
				t.Errorf("%s, %s: the link is %q", s.kind, lang, m.Action.Path)
			}
		}
	}
}

// TestWrong: a text that lacks a value is an error.
func TestWrong(t *testing.T) {
	t.Parallel()
	for _, s := range []sample{
		{"of_a_later_version", nil},
		{notify.TokenReset, notify.Params{"by": "helpdesk"}},
		{notify.TokenStatus, notify.Params{"serial": "20260101", "status": "in_stock"}},
		{notify.CertificateExpires, notify.Params{"serial": "20260101", "slot": "9a", "days": "-3", "ends_at": "2027-03-01T12:00:00Z"}},
		{notify.CertificateEnded, notify.Params{"serial": "20260101", "slot": "9a", "ends_at": "soon"}},
		{notify.BackupFailed, notify.Params{"job": "tidying", "began": "2026-11-23T01:00:00Z"}},
	} {
		for _, lang := range languages {
			if m, err := text.Render(s.kind, s.params, lang, zone); err == nil {
				t.Errorf("%s in %s, of %v: %q", s.kind, lang, s.params, m)
			}
		}
	}
	if got := text.Plain("of_a_later_version", nil); got != "" {
		t.Errorf("on one line: %q", got)
	}
	got := text.Plain(notify.CertificatesExpireSummary, notify.Params{"n1": "1", "tokens": "20260101\n20260102"})
	if want := "1 certificate expires within a day. Not renewed yet: 20260101; 20260102"; got != want {
		t.Errorf("on one line: %q", got)
	}
	other := must.Get(text.Render(notify.PasswordReset, nil, "fr", zone))(t)
	if want := must.Get(text.Render(notify.PasswordReset, nil, "en", zone))(t); other.Subject != want.Subject {
		t.Errorf("in French it is %q", other.Subject)
	}
}
