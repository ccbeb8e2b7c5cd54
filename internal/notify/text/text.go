// Package text renders every message to people, in English and German, with the
// same wording on the page and in mail. Everything from outside (names, labels,
// reasons) is one line of plain text; the HTML of a mail escapes it.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/keyward/keyward/internal/notify"
)

// The languages.
const (
	English = "en"
	German  = "de"
)

// Text is a rendered message.
type Text struct {
	Subject string
	Lines   []string // one paragraph each
	List    []string // items that they list; may be empty
	Action  *Link    // where to look; nil: nowhere
}

// Link leads to a page.
type Link struct {
	Path string // within the site, such as /tokens/20260001
	Text string
}

// String returns the text on one line, as the page shows it.
func (t Text) String() string {
	s := strings.Join(t.Lines, " ")
	if len(t.List) > 0 {
		s += " " + strings.Join(t.List, "; ")
	}
	return s
}

// language is what one file of this package defines.
type language struct {
	kinds map[notify.Kind]func(*words) Text
	day   func(time.Time) string // 3 December 2026
	clock func(time.Time) string // 14:05 CET
	by    string                 // in place of a missing actor
	token func(label, serial string) string
	slots map[string]string // certificates by slot
	// inSlot comes before a slot that has no name.
	inSlot string
	mail   mailWords
}

var languages = map[string]*language{English: &english, German: &german}

// Known reports whether that language is supported.
func Known(lang string) bool { return languages[lang] != nil }

// Render renders a message, in English if the language is unknown, with times in
// zone. It fails when the kind is unknown, or params lacks a needed value.
func Render(kind notify.Kind, params notify.Params, lang string, zone *time.Location) (Text, error) {
	l := languages[lang]
	if l == nil {
		l = &english
	}
	say := l.kinds[kind]
	if say == nil {
		return Text{}, fmt.Errorf("notice: there are no words for %q", kind)
	}
	w := &words{language: l, params: params, zone: zone}
	t := say(w)
	if w.wrong != "" {
		return Text{}, fmt.Errorf("notice: the params of %q lack a proper %q", kind, w.wrong)
	}
	return t, nil
}

// Plain renders a message in English on one line, with times in UTC; empty when that fails.
func Plain(kind notify.Kind, params notify.Params) string {
	t, err := Render(kind, params, English, time.UTC)
	if err != nil {
		return ""
	}
	return t.String()
}

// words returns the values for sentences, and remembers the first missing one.
type words struct {
	*language

	params notify.Params
	zone   *time.Location
	wrong  string
}

func (w *words) lack(name string) {
	if w.wrong == "" {
		w.wrong = name
	}
}

// get returns a mandatory value.
func (w *words) get(name string) string {
	v := w.maybe(name)
	if v == "" {
		w.lack(name)
	}
	return v
}

// maybe returns a value on one line; empty when missing.
func (w *words) maybe(name string) string { return clean(w.params[name]) }

// clean puts a value on one line. Mail programs turn everything that looks like an
// address into a link, even in subjects and plain text, so clean breaks up addresses.
func clean(s string) string {
	if strings.Contains(s, "://") || strings.Contains(strings.ToLower(s), "www.") {
		s = defang.Replace(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

var defang = strings.NewReplacer("://", "[:]//", ".", "[.]")

// number returns a count; 0 when missing.
func (w *words) number(name string) int {
	v := w.maybe(name)
	if v == "" {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		w.lack(name)
	}
	return n
}

// moment returns a time; zero when missing.
func (w *words) moment(name string) time.Time {
	v := w.maybe(name)
	if v == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, v)
	if err != nil {
		w.lack(name)
	}
	return at.In(w.zone)
}

// date returns the day of a mandatory time.
func (w *words) date(name string) string {
	w.get(name)
	return w.language.day(w.moment(name))
}

// at returns day and time of day.
func (w *words) at(name string) string { return w.date(name) + ", " + w.language.clock(w.moment(name)) }

// by returns the actor.
func (w *words) by() string {
	if name := w.maybe("by"); name != "" {
		return name
	}
	return w.language.by
}

// token returns the token's label and serial.
func (w *words) token() string {
	serial := w.get("serial")
	if label := w.maybe("label"); label != "" {
		return w.language.token(label, serial)
	}
	return serial
}

// certificate names a certificate by what it is for, as its owner knows it.
func (w *words) certificate() string {
	slot := w.get("slot")
	if name := w.slots[slot]; name != "" {
		return name
	}
	return w.inSlot + slot
}

// list returns the lines of a value.
func (w *words) list(name string) []string {
	var out []string
	for line := range strings.Lines(w.params[name]) {
		if line = strings.TrimSpace(clean(line)); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// said returns the non-empty sentences.
func said(lines ...string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}

// some returns the lines of nonzero counts.
func some(counts ...count) []string {
	var out []string
	for _, c := range counts {
		switch c.n {
		case 0:
		case 1:
			out = append(out, c.one)
		default:
			out = append(out, strings.Replace(c.many, "#", strconv.Itoa(c.n), 1))
		}
	}
	return out
}

// count is a number of things, with the line for one, and the line for many with # for the
// number.
type count struct {
	n         int
	one, many string
}
