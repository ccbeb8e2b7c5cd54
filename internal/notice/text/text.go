// Package text has the words of every message to people, in English and German.
// The page and the mail read the same. Everything that comes from outside (names,
// labels, reasons) is one line of plain text; the HTML of a mail escapes it.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/keyward/keyward/internal/notice"
)

// The languages.
const (
	English = "en"
	German  = "de"
)

// Text is a message in words.
type Text struct {
	Subject string
	Lines   []string // sentences that belong together, one paragraph each
	List    []string // what they list; may be empty
	Action  *Link    // where to look; nil: nowhere
}

// Link leads to a page.
type Link struct {
	Path string // within the site, such as /tokens/20260001
	Text string
}

// String is the text on one line, as the page shows it.
func (t Text) String() string {
	s := strings.Join(t.Lines, " ")
	if len(t.List) > 0 {
		s += " " + strings.Join(t.List, "; ")
	}
	return s
}

// language is what one file of this package gives.
type language struct {
	kinds map[notice.Kind]func(*words) Text
	day   func(time.Time) string // 3 December 2026
	clock func(time.Time) string // 14:05 CET
	by    string                 // who, when nobody did it
	token func(label, serial string) string
	slots map[string]string
	mail  mailWords
}

var languages = map[string]*language{English: &english, German: &german}

// Known tells whether there are words in that language.
func Known(lang string) bool { return languages[lang] != nil }

// Render puts a message into words, English ones where there is no such language.
// Times are those of zone. It is an error when the kind is not known, or params
// lacks what its words need.
func Render(kind notice.Kind, params notice.Params, lang string, zone *time.Location) (Text, error) {
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

// Plain is a message in English on one line, with times in UTC; empty when it cannot be
// put into words.
func Plain(kind notice.Kind, params notice.Params) string {
	t, err := Render(kind, params, English, time.UTC)
	if err != nil {
		return ""
	}
	return t.String()
}

// words gives the values that sentences are made with, and remembers the first one
// that is not there.
type words struct {
	*language

	params notice.Params
	zone   *time.Location
	wrong  string
}

func (w *words) lack(name string) {
	if w.wrong == "" {
		w.wrong = name
	}
}

// get is a value that has to be there.
func (w *words) get(name string) string {
	v := w.maybe(name)
	if v == "" {
		w.lack(name)
	}
	return v
}

// maybe is a value, on one line; empty when there is none.
func (w *words) maybe(name string) string { return clean(w.params[name]) }

// clean puts a value on one line. Mail programs make a link of whatever looks like an
// address, in a subject or a plain text too, so a name that has one loses that look.
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

// number is a count; one that is not there is 0.
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

// moment is a time; zero when it is not there.
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

// date is the day of a time that has to be there.
func (w *words) date(name string) string {
	w.get(name)
	return w.language.day(w.moment(name))
}

// at is day and time of day.
func (w *words) at(name string) string { return w.date(name) + ", " + w.language.clock(w.moment(name)) }

// by is who did it.
func (w *words) by() string {
	if name := w.maybe("by"); name != "" {
		return name
	}
	return w.language.by
}

// token names the token by its label and serial.
func (w *words) token() string {
	serial := w.get("serial")
	if label := w.maybe("label"); label != "" {
		return w.language.token(label, serial)
	}
	return serial
}

// slot names a slot by what it is for.
func (w *words) slot() string {
	slot := w.get("slot")
	if use := w.slots[slot]; use != "" {
		return slot + " (" + use + ")"
	}
	return slot
}

// list are the lines of a value.
func (w *words) list(name string) []string {
	var out []string
	for line := range strings.Lines(w.params[name]) {
		if line = strings.TrimSpace(clean(line)); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// said are the sentences that are not empty.
func said(lines ...string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}

// some are the lines of counts that are not zero.
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

// count is a number of things: the line of one, and that of many, whose number is #.
type count struct {
	n         int
	one, many string
}
