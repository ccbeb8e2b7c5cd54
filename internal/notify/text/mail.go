package text

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/keyward/keyward/internal/notify"
)

// Letter is a message as a mail.
type Letter struct {
	Text

	Name    string // whom it greets; may be empty
	Lang    string
	SiteURL string // of the installation, such as https://keyward.example.com
	Foot    Foot
	// Link replaces the link to the action's page: an invitation's.
	Link string
}

// Foot is the reason for a mail, given at its end; empty: the recipient requested it.
type Foot string

// The feet.
const (
	OfAccount      Foot = "account"      // it concerns the person's security, and is always sent
	OfInstallation Foot = "installation" // likewise, for everyone's: sent to administrators
	Invited        Foot = "invited"      // the person got an account
	Chosen         Foot = "chosen"       // the person may turn it off, and gets a link for that
)

// FootOf returns the foot for a row of the table.
func FootOf(r notify.Row) Foot {
	switch {
	case r.Choice != notify.Always:
		return Chosen
	case r.OfInstallation(), r.Kind == notify.ReleaseLimit:
		return OfInstallation
	case r.Kind == notify.Invitation:
		return Invited
	default:
		return OfAccount
	}
}

// mailWords are the texts around a message.
type mailWords struct {
	hello  func(name string) string
	nobody string
	feet   map[Foot]string
	answer string
}

// letter is the data of the templates.
type letter struct {
	Lang, Subject, Hello string
	Lines, List          []string
	URL, Action          string
	Why, Settings        string
	Answer               string
}

func (l Letter) fill() letter {
	lang := l.Lang
	if !Known(lang) {
		lang = English
	}
	site, words := strings.TrimSuffix(l.SiteURL, "/"), languages[lang].mail
	out := letter{
		Lang: lang, Subject: l.Subject, Hello: words.nobody, Lines: l.Lines, List: l.List, Why: words.feet[l.Foot], Answer: words.answer,
	}
	if name := clean(l.Name); name != "" {
		out.Hello = words.hello(name)
	}
	if l.Foot == Chosen {
		out.Settings = site + notificationPage
	}
	if l.Action != nil {
		out.URL, out.Action = site+l.Action.Path, l.Action.Text
		if l.Link != "" {
			out.URL = l.Link
		}
	}
	return out
}

// Plain renders the mail as plain text, with lines of any length.
func (l Letter) Plain() (string, error) {
	f := l.fill()
	var b strings.Builder
	paragraph := func(s string) { b.WriteString(s + "\n\n") }
	paragraph(f.Hello)
	for _, line := range f.Lines {
		paragraph(line)
	}
	if len(f.List) > 0 {
		paragraph("- " + strings.Join(f.List, "\n- "))
	}
	if f.URL != "" {
		paragraph(f.Action + ":\n" + f.URL)
	}
	b.WriteString("-- \n") // the signature separator, RFC 3676
	switch {
	case f.Settings != "":
		b.WriteString(f.Why + ":\n" + f.Settings + "\n")
	case f.Why != "":
		b.WriteString(f.Why + ".\n")
	}
	b.WriteString(f.Answer + "\n")
	return b.String(), nil
}

// HTML renders the mail as HTML, which loads nothing from elsewhere.
func (l Letter) HTML() (string, error) {
	var b bytes.Buffer
	if err := page.Execute(&b, l.fill()); err != nil {
		return "", err
	}
	return b.String(), nil
}

var page = template.Must(template.New("mail").Parse(`<!DOCTYPE html>
<html lang="{{.Lang}}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Subject}}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1f2328;font:16px/1.5 sans-serif">
<div style="max-width:560px">
<p>{{.Hello}}</p>
{{- range .Lines}}
<p>{{.}}</p>
{{- end}}
{{- if .List}}
<ul>
{{- range .List}}
<li>{{.}}</li>
{{- end}}
</ul>
{{- end}}
{{- if .URL}}
<p><a href="{{.URL}}" style="color:#0b57d0">{{.Action}}</a></p>
{{- end}}
<hr style="border:0;border-top:1px solid #d0d7de;margin:24px 0">
<p style="font-size:13px;color:#57606a">
{{- if .Settings}}<a href="{{.Settings}}" style="color:#57606a">{{.Why}}</a>.<br>{{else if .Why}}{{.Why}}.<br>{{end}}{{.Answer}}</p>
</div>
</body>
</html>
`))
