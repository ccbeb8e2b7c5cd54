package config

import (
	"strconv"
	"strings"
)

// openTelemetry begins the names of OpenTelemetry's variables.
const openTelemetry = "OTEL_"

// readFile reads a file of NAME=VALUE lines. Empty lines and lines that begin
// with # do not count; spaces around name and value do not either, unless the
// value is in double quotes (Go's rules). A name that is no setting, or there
// twice, is a mistake; OpenTelemetry's own are known to its library.
func readFile(path string) (map[string]string, Mistakes) {
	content, err := readBounded(path)
	if err != nil {
		return nil, Mistakes{{"--config", reason(err)}}
	}
	return parseFile(content)
}

func parseFile(content string) (map[string]string, Mistakes) {
	values := map[string]string{}
	var mistakes Mistakes
	bad := func(line int, message string) {
		mistakes = append(mistakes, Mistake{"--config line " + strconv.Itoa(line), message})
	}
	number := 0
	for line := range strings.SplitSeq(content, "\n") {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		_, twice := values[name]
		switch {
		case !ok:
			bad(number, "must be NAME=VALUE")
			continue
		case strings.HasPrefix(name, openTelemetry) && !twice:
		case !known[name]:
			bad(number, "names an unknown setting; keyward serve --help lists them all")
			continue
		case twice:
			bad(number, "sets "+name+" a second time")
			continue
		}
		if strings.HasPrefix(value, `"`) {
			unquoted, err := strconv.Unquote(value)
			if err != nil {
				bad(number, "has a value with unbalanced quotes")
				continue
			}
			value = unquoted
		}
		values[name] = value
	}
	return values, mistakes
}
