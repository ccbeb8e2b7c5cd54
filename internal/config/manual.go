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
	Backend: `Runs the API without the web pages: the proxy in front sends everything outside
/api to a frontend. Stop it with SIGTERM or Ctrl-C.
`,
	Frontend: `Serves the web pages only, and stores nothing: run as many as you like. Either
the proxy in front sends /api to a backend, or --backend names one to which
requests below /api are forwarded. Stop it with SIGTERM or Ctrl-C.
`,
	License: `Serves the license only, for backends on other machines that set
LICENSE_SERVICE_URL. It stores everything in the vault: with VAULT_ADDR, run as
many as you like; with the embedded vault, run one, with its own data directory.
Backends authenticate with a token or a certificate, so set
LICENSE_SERVICE_TOKEN or LICENSE_CLIENT_CA_FILE. Stop it with SIGTERM or Ctrl-C.
`,
}

// Flag is a setting that can be given on the command line.
type Flag struct{ Name, Placeholder, Help string }

// Flags are a part's.
func Flags(part Part) []Flag {
	list := []Flag{{
		"config", "FILE", "file with NAME=VALUE lines (KEYWARD_CONFIG). Flags override the environment, which overrides " +
			"this file, which overrides the defaults",
	}}
	for _, s := range part.of() {
		if s.flag != "" {
			list = append(list, Flag{s.flag, "VALUE", "sets " + s.env})
		}
	}
	return list
}

// Describe says what a part does, and every setting.
func Describe(part Part) string {
	var b strings.Builder
	b.WriteString(introductions[part])
	section := ""
	for _, s := range part.of() {
		if s.section != section {
			section = s.section
			fmt.Fprintf(&b, "\n%s:\n", section)
		}
		fmt.Fprintf(&b, "  %s", s.name())
		if s.def != "" {
			fmt.Fprintf(&b, " (default %s)", s.def)
		}
		fmt.Fprintf(&b, "\n%s", wrap(s.help, 70, "        "))
	}
	return b.String()
}

// Markdown writes docs/configuration.md.
func Markdown(w io.Writer) {
	fmt.Fprint(w, "# Configuration\n\n"+
		"<!-- Made by go generate from internal/config/config.go. Do not edit. -->\n\n"+
		"`keyward serve` reads each setting from the first of these that has it: a flag, the environment, the file in\n"+
		"`--config FILE` (or `KEYWARD_CONFIG`), the default. The file has `NAME=VALUE` lines; an unknown name is an error.\n"+
		"Keyward reports all mistakes at once.\n\n"+
		"You can put a secret in a file instead, and name that file in the setting with `_FILE`.\n"+
		"Write durations as `90s`, `30m` or `168h`.\n")
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
	fmt.Fprint(w, "\n## keyward backend\n\nIt takes all settings except these:\n\n")
	for _, s := range settings {
		if !slices.Contains(s.parts, Backend) {
			fmt.Fprintf(w, "- `%s`\n", s.env)
		}
	}
	fmt.Fprint(w, "\n## keyward frontend\n\nIt takes these and ignores the others, so that backend and frontend can share a file:\n\n")
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
