package ykman

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// Time limits of one call. A read is quick; a change may wait for a touch; old
// tokens may take half a minute to generate a key. The limit is a last resort:
// killing the tool during a change leaves the outcome unknown.
const (
	readTimeout     = 30 * time.Second
	changeTimeout   = 60 * time.Second
	generateTimeout = 180 * time.Second
)

// maxOutput bounds what is kept of each output stream, in bytes.
const maxOutput = 1 << 20

// call is one run of the tool. args must hold no secret.
type call struct {
	args    []string
	lines   []secret.String // one per prompt, in order
	file    []byte          // read by the tool from filePath
	timeout time.Duration
}

// failure is a run that did not exit with 0.
type failure struct {
	exit   int  // -1 when the tool was killed or did not start
	killed bool // by the time limit
	text   string
	start  error // why it did not start
}

func (f *failure) Error() string {
	switch {
	case f.killed:
		return "the tool was killed by its time limit"
	case f.start != nil:
		return "the tool did not start: " + f.start.Error()
	case f.text == "":
		return "the tool failed without a word"
	}
	return "the tool said: " + lastLine(f.text)
}

// run runs the tool to its end, if the agent can use it. The error is a *failure
// or a fault.
func (d *Driver) run(ctx context.Context, c call) ([]byte, error) {
	if _, err := d.Tool(ctx); err != nil {
		return nil, err
	}
	return d.exec(ctx, c)
}

func (d *Driver) exec(ctx context.Context, c call) ([]byte, error) {
	path, err := d.find()
	if err != nil {
		return nil, err
	}
	env, err := d.environment()
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "no_folder",
			"The agent can't create the private folder that the token tool needs. Check the disk and the temporary folder.").With(err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Env = env
	cmd.WaitDelay = 2 * time.Second
	detach(cmd)
	cmd.Stdin = input(c.lines)
	out, errs := &capped{}, &capped{}
	cmd.Stdout, cmd.Stderr = out, errs
	closeFile, err := attachFile(cmd, c.file)
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "no_handover",
			"The agent can't pass a file to the token tool. Check the disk and the temporary folder.").With(err)
	}
	defer closeFile()

	err = cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	f := &failure{exit: -1, killed: ctx.Err() != nil, text: redact(errs.String(), c.lines)}
	if cmd.Process == nil {
		f.start = err
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		f.exit = exit.ExitCode()
	}
	return nil, f
}

func input(lines []secret.String) io.Reader {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Reveal())
		b.WriteByte('\n')
	}
	return strings.NewReader(b.String())
}

// redact removes every secret from the tool's output before anything else sees
// it. The tool is not known to print one; this makes it certain.
func redact(text string, lines []secret.String) string {
	for _, l := range lines {
		if len(l.Reveal()) > 1 { // "y" is an answer, not a secret
			text = strings.ReplaceAll(text, l.Reveal(), "[redacted]")
		}
	}
	return text
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if len(text) > 200 {
		text = text[:200]
	}
	return strings.TrimSpace(text)
}

// environment returns the tool's whole environment.
func (d *Driver) environment() ([]string, error) {
	home, err := d.dataHome()
	if err != nil {
		return nil, err
	}
	env := []string{"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "XDG_DATA_HOME=" + home}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if d.socket != "" {
		env = append(env, "PCSCLITE_CSOCK_NAME="+d.socket)
	}
	return env, nil
}

// capped is a buffer that drops what exceeds maxOutput.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
