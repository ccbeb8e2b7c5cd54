package config

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:generate go run ../../cmd/keyward configuration --output ../../docs/configuration.md

var introductions = map[Part]string{
	Serve: `Runs the whole service in one process. Stop it with SIGTERM or Ctrl-C.
`,
	Backend: `Runs the API without the web pages: the proxy in front routes all outside of
/api to a frontend. Stop it with SIGTERM or Ctrl-C.
`,
	Frontend: `Serves the web pages alone, and keeps nothing: run as many as you like. The
proxy in front routes /api to a backend, or --backend names one that requests
below /api are passed on to. Stop it with SIGTERM or Ctrl-C.
`,
	License: `Serves the license alone, for backends on other machines, whose
LICENSE_SERVICE_URL names it. It keeps everything in the vault: with VAULT_ADDR
run as many as you like; with the embedded vault one, which needs a data
directory of its own. It answers whoever shows it a token or a certificate, so
it needs LICENSE_SERVICE_TOKEN or LICENSE_CLIENT_CA_FILE. Stop it with SIGTERM
or Ctrl-C.
`,
}

// Usage writes the help of a part: the flags, then every setting.
func Usage(w io.Writer, part Part) {
	fmt.Fprintf(w, "Usage: keyward %s [flags]\n\n%s", part, introductions[part])
	fmt.Fprint(w, `
Flags:
  --config FILE
        Settings as NAME=VALUE lines (also KEYWARD_CONFIG). A flag beats the
        environment, that beats this file, that beats the default.
`)
	for _, s := range part.of() {
		if s.flag != "" {
			fmt.Fprintf(w, "  --%s VALUE\n        The setting %s.\n", s.flag, s.env)
		}
	}
	section := ""
	for _, s := range part.of() {
		if s.section != section {
			section = s.section
			fmt.Fprintf(w, "\n%s:\n", section)
		}
		fmt.Fprintf(w, "  %s", s.name())
		if s.def != "" {
			fmt.Fprintf(w, " (default %s)", s.def)
		}
		fmt.Fprintf(w, "\n%s", wrap(s.help, 70, "        "))
	}
}

// Markdown writes docs/configuration.md.
func Markdown(w io.Writer) {
	fmt.Fprint(w, "# Configuration\n\n"+
		"<!-- Made by go generate from internal/config/config.go. Do not edit. -->\n\n"+
		"`keyward serve` takes each setting from, strongest first: a flag, the environment, the file of `--config FILE`\n"+
		"(or `KEYWARD_CONFIG`), the default. The file has `NAME=VALUE` lines; a name that is no setting is an error.\n"+
		"All mistakes are reported at once.\n\n"+
		"A secret may stand in a file instead, named by the setting with `_FILE`.\n"+
		"Durations are like `90s`, `30m` or `168h`.\n")
	section := ""
	for _, s := range settings {
		if s.section != section {
			section = s.section
			fmt.Fprintf(w, "\n## %s\n\n| Setting | Default | Meaning |\n|---|---|---|\n", section)
		}
		def := "none"
		if s.def != "" {
			def = "`" + s.def + "`"
		}
		name := "`" + s.env + "`"
		if s.secret {
			name += " or `" + s.env + fileSuffix + "`"
		}
		if s.flag != "" {
			name += ", `--" + s.flag + "`"
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", name, def, strings.ReplaceAll(s.help, "|", `\|`))
	}
	fmt.Fprint(w, "\n## keyward backend\n\nIt takes all but these:\n\n")
	for _, s := range settings {
		if !slices.Contains(s.parts, Backend) {
			fmt.Fprintf(w, "- `%s`\n", s.env)
		}
	}
	fmt.Fprint(w, "\n## keyward frontend\n\nIt takes these, and leaves the others alone, so that both may share a file:\n\n")
	for _, s := range Frontend.of() {
		fmt.Fprintf(w, "- `%s`\n", s.env)
	}
	fmt.Fprint(w, "\n## keyward license\n\nIt takes these:\n\n")
	for _, s := range License.of() {
		fmt.Fprintf(w, "- `%s`\n", s.env)
	}
}

func (s setting) name() string {
	if s.secret {
		return s.env + " or " + s.env + fileSuffix
	}
	return s.env
}

// wrap breaks a text into lines of at most width characters after the indent.
func wrap(text string, width int, indent string) string {
	var b strings.Builder
	line := 0
	for word := range strings.FieldsSeq(text) {
		if line > 0 && line+1+len(word) > width {
			b.WriteByte('\n')
			line = 0
		}
		if line == 0 {
			b.WriteString(indent)
		} else {
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}
