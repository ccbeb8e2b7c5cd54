package text

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// The page's German text for what a job reports, by code or code/reason:
// ui/src/text/de/jobs.ts, whose tests write and check this file. It lacks texts that
// the page makes with a function.
//
//go:embed causes_de.json
var rawCauses []byte

var deCauses = sync.OnceValue(func() map[string]string {
	causes := map[string]string{}
	if err := json.Unmarshal(rawCauses, &causes); err != nil {
		panic(err) // a test reads it
	}
	return causes
})

var place = regexp.MustCompile(`\{\w+\}`)

// deCause returns why a job failed, in German, or in the server's English if a
// translation is missing.
func deCause(w *words) string {
	var cause fault.Sentence
	if json.Unmarshal([]byte(w.params["cause"]), &cause) == nil {
		if said, ok := w.german(cause.Code, cause.Params); ok {
			return clean(said)
		}
	}
	if said := w.maybe("error"); said != "" {
		return "Meldung (englisch): " + said
	}
	return ""
}

// german renders a sentence; not ok when the text or a value for it is missing.
func (w *words) german(code string, params fault.Params) (said string, ok bool) {
	if reason, is := params["reason"].(string); is {
		code += "/" + reason
	}
	text, ok := deCauses()[code]
	said = place.ReplaceAllStringFunc(text, func(name string) string {
		value, filled := w.germanValue(params[strings.Trim(name, "{}")])
		ok = ok && filled
		return value
	})
	return said, ok
}

// germanValue renders a param decoded from JSON.
func (w *words) germanValue(v any) (string, bool) {
	switch v := v.(type) {
	case float64:
		return deNumber(strconv.FormatFloat(v, 'f', -1, 64)), true
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return w.day(at.In(w.zone)) + ", " + w.clock(at.In(w.zone)), true
		}
		return v, true
	case map[string]any: // a nested sentence
		code, _ := v["code"].(string)
		params, _ := v["params"].(map[string]any)
		return w.german(code, params)
	}
	return "", false
}

// deNumber writes a number with dots between groups of thousands.
func deNumber(n string) string {
	whole, part, fraction := strings.Cut(n, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "." + whole[i:]
	}
	if fraction {
		return whole + "," + part
	}
	return whole
}
