package config

import (
	"errors"
	"flag"
	"io"
	"os"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// maxSecretFile bounds what NAME_FILE may hold, in bytes.
const maxSecretFile = 64 << 10

// serviceAccount is where Kubernetes puts a pod's token.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/token"

// Load reads the settings of "keyward serve"; see LoadFor.
func Load(args []string, getenv func(string) string) (Config, error) {
	return LoadFor(Serve, args, getenv)
}

// LoadFor reads the settings of a part from flags (args), environment (getenv)
// and the file of --config or KEYWARD_CONFIG. What the part does not take has
// its default, wherever else it is set: parts may share one file. The error is
// flag.ErrHelp, or Mistakes with everything that is wrong.
func LoadFor(part Part, args []string, getenv func(string) string) (Config, error) {
	flags, path, err := parseFlags(part, args)
	if err != nil {
		return Config{}, err
	}
	if path == "" {
		path = getenv("KEYWARD_CONFIG")
	}
	var mistakes Mistakes
	values := map[string]string{}
	if path != "" {
		fromFile, bad := readFile(path)
		mistakes = append(mistakes, bad...)
		overlay(values, fromFile)
	}
	overlay(values, environment(getenv))
	overlay(values, flags)
	tracing := map[string]secret.String{}
	for name, value := range values {
		if strings.HasPrefix(name, openTelemetry) {
			tracing[name] = secret.New(value)
		}
	}
	part.keepOwn(values)
	if values["VAULT_ADDR"] != "" && values["VAULT_AUTH_METHOD"] == "kubernetes" &&
		values["VAULT_JWT"] == "" && values["VAULT_JWT"+fileSuffix] == "" {
		values["VAULT_JWT"+fileSuffix] = serviceAccount
	}
	files, bad := readSecretFiles(values)
	mistakes = append(mistakes, bad...)

	cfg, bad := parse(values)
	cfg.Files, cfg.OpenTelemetry = files, tracing
	mistakes = append(mistakes, bad...)
	cfg.derive()
	mistakes = append(mistakes, cfg.validate(mistakes.names())...)
	if len(mistakes) > 0 {
		return Config{}, mistakes.sorted()
	}
	return cfg, nil
}

// keepOwn leaves only the values that the part takes.
func (p Part) keepOwn(values map[string]string) {
	own := map[string]bool{}
	for _, s := range p.of() {
		own[s.env], own[s.env+fileSuffix] = true, true
	}
	for name := range values {
		if !own[name] {
			delete(values, name)
		}
	}
}

func parseFlags(part Part, args []string) (values map[string]string, configFile string, err error) {
	values = map[string]string{}
	fs := flag.NewFlagSet(string(part), flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&configFile, "config", "", "")
	for _, s := range part.of() {
		if s.flag != "" {
			fs.Func(s.flag, "", func(text string) error {
				values[s.env] = text
				return nil
			})
		}
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, "", err
		}
		return nil, "", Mistakes{{Setting: "command line", Message: err.Error()}}
	}
	if fs.NArg() > 0 {
		return nil, "", Mistakes{{Setting: "command line", Message: "takes only flags, no arguments"}}
	}
	return values, configFile, nil
}

// environment takes the settings that are there and not empty.
func environment(getenv func(string) string) map[string]string {
	values := map[string]string{}
	for name := range known {
		if v := getenv(name); v != "" {
			values[name] = v
		}
	}
	return values
}

// overlay puts the values of a source above those of the weaker ones. NAME
// and NAME_FILE are one setting: the stronger source's form of it counts.
func overlay(values, above map[string]string) {
	for name := range above {
		if base, ok := strings.CutSuffix(name, fileSuffix); ok {
			delete(values, base)
		} else {
			delete(values, name+fileSuffix)
		}
	}
	for name, v := range above {
		values[name] = v
	}
}

// readSecretFiles replaces NAME_FILE by NAME with the file's content, less
// one newline at its end. files are the paths, by NAME.
func readSecretFiles(values map[string]string) (files map[string]string, mistakes Mistakes) {
	files = map[string]string{}
	for _, s := range settings {
		path, ok := values[s.env+fileSuffix]
		if !ok || !s.secret {
			continue
		}
		if _, both := values[s.env]; both {
			mistakes = append(mistakes, Mistake{s.env, "is given twice, also as " + s.env + fileSuffix})
			continue
		}
		text, err := readSecret(path)
		if err != nil {
			mistakes = append(mistakes, Mistake{s.env + fileSuffix, reason(err)})
			continue
		}
		values[s.env], files[s.env] = text, path
	}
	return files, mistakes
}

// ReadSecret reads a secret's file anew, as Load read it. The error does not
// name the path.
func ReadSecret(path string) (secret.String, error) {
	text, err := readSecret(path)
	if err != nil {
		return secret.String{}, errors.New("its setting " + reason(err))
	}
	return secret.New(text), nil
}

func readSecret(path string) (string, error) {
	text, err := readBounded(path)
	if err != nil {
		return "", err
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	if text == "" {
		return "", errEmpty
	}
	return text, nil
}

var (
	errTooLong = errors.New("too long")
	errEmpty   = errors.New("empty")
)

func readBounded(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err == nil && len(raw) > maxSecretFile {
		err = errTooLong
	}
	return string(textinput.Unmarked(raw)), err
}

// reason says why a file cannot be read, without its path.
func reason(err error) string {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "names a file that doesn't exist"
	case errors.Is(err, os.ErrPermission):
		return "names a file that this user can't read"
	case errors.Is(err, errEmpty):
		return "names an empty file"
	case errors.Is(err, errTooLong):
		return "names a file that is longer than 64 KiB"
	default:
		return "names a file that can't be read"
	}
}

// parse fills a Config. The library knows a field by its Go name.
func parse(values map[string]string) (Config, Mistakes) {
	var cfg Config
	err := env.ParseWithOptions(&cfg, env.Options{Environment: values})
	if err == nil {
		return cfg, nil
	}
	var mistakes Mistakes
	var all env.AggregateError
	if !errors.As(err, &all) {
		return cfg, Mistakes{{"settings", "cannot be read"}}
	}
	for _, e := range all.Errors {
		p, ok := errors.AsType[env.ParseError](e)
		if !ok {
			mistakes = append(mistakes, Mistake{"settings", "cannot be read"})
			continue
		}
		s := byField[p.Name]
		mistakes = append(mistakes, Mistake{s.env, s.form()})
	}
	return cfg, mistakes
}

// String shows the settings for a log; secrets say only whether they are set.
func (c Config) String() string {
	var b strings.Builder
	for i, s := range settings {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.env + "=")
		v := s.value(c)
		if hidden, ok := v.(secret.String); ok {
			if !hidden.Empty() {
				b.WriteString("[redacted]")
			}
			continue
		}
		b.WriteString(text(v))
	}
	return b.String()
}
