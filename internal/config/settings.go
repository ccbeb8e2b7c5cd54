package config

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// setting is one field of Config, as its tags describe it.
type setting struct {
	index                                int
	field, env, flag, section, def, help string
	secret                               bool
	kind                                 reflect.Type
	parts                                []Part // that take it
}

// Part is a command that takes settings, by its name.
type Part string

// The parts that can run alone, and the one that is all of them.
const (
	Serve      Part = "serve"
	Database   Part = "database" // what works on the database alone: keyward migrate, keyward admin
	Backend    Part = "backend"
	Frontend   Part = "frontend"
	License    Part = "license"
	VaultSetup Part = "vault-setup"
	Move       Part = "move"      // what is moved to
	MoveFrom   Part = "move-from" // what is moved
)

// of gives the settings that a part takes.
func (p Part) of() []setting {
	return slices.DeleteFunc(slices.Clone(settings), func(s setting) bool { return !slices.Contains(s.parts, p) })
}

// fileSuffix makes NAME_FILE of a secret's NAME.
const fileSuffix = "_FILE"

// Views of the struct's tags.
var (
	settings = listSettings()
	byField  = func() map[string]setting {
		m := map[string]setting{}
		for _, s := range settings {
			m[s.field] = s
		}
		return m
	}()
	// known is every name that the environment or a file may hold.
	known = func() map[string]bool {
		m := map[string]bool{}
		for _, s := range settings {
			m[s.env] = true
			if s.secret {
				m[s.env+fileSuffix] = true
			}
		}
		return m
	}()
)

func listSettings() []setting {
	var out []setting
	section := ""
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if f.Tag.Get("env") == "-" {
			continue
		}
		parts := []Part{Serve, Backend}
		if names, ok := f.Tag.Lookup("parts"); ok {
			parts = nil
			for name := range strings.FieldsSeq(names) {
				parts = append(parts, Part(name))
			}
		}
		section = cmp.Or(f.Tag.Get("section"), section)
		out = append(out, setting{
			index: i, field: f.Name, env: f.Tag.Get("env"), flag: f.Tag.Get("flag"), section: section,
			def: f.Tag.Get("envDefault"), help: f.Tag.Get("help"), kind: f.Type, secret: f.Type == reflect.TypeFor[secret.String](),
			parts: parts,
		})
	}
	return out
}

func (s setting) value(c Config) any { return reflect.ValueOf(c).Field(s.index).Interface() }

// form says what a value must look like when it cannot even be read.
func (s setting) form() string {
	switch s.kind {
	case reflect.TypeFor[time.Duration]():
		return "must be a duration such as 90s, 30m or 168h"
	case reflect.TypeFor[int]():
		return "must be a whole number"
	case reflect.TypeFor[bool]():
		return "must be true or false"
	case reflect.TypeFor[Rate]():
		return errRate.Error()
	}
	switch s.env {
	case "LOG_LEVEL":
		return "must be DEBUG, INFO, WARN or ERROR"
	case "TRUSTED_PROXIES", "WEBHOOK_ALLOWED_NETWORKS":
		return "must be networks such as 10.0.0.0/8, separated by commas"
	}
	return "cannot be read"
}

// text is the form that a value has in the environment.
func text(v any) string {
	switch v := v.(type) {
	case []string:
		return strings.Join(v, ",")
	case time.Duration:
		return v.String()
	case encoding.TextMarshaler:
		b, err := v.MarshalText()
		if err != nil {
			return ""
		}
		return string(b)
	}
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Slice {
		parts := make([]string, rv.Len())
		for i := range parts {
			parts[i] = fmt.Sprint(rv.Index(i).Interface())
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}
