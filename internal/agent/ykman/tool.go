package ykman

import (
	"context"
	"errors"
	"os/exec"
	"regexp"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// least is the oldest ykman whose commands and messages the driver knows.
var least = piv.Version{4, 0, 9}

var versionText = regexp.MustCompile(`\b(\d+\.\d+\.\d+)\S*`)

// Tool runs ykman --version until it succeeds once. That imports all of ykman's
// modules, so it also detects a broken installation.
func (d *Driver) Tool(ctx context.Context) (driver.Tool, error) {
	tool := driver.Tool{Name: "ykman"}
	if _, err := d.find(); err != nil {
		return tool, err
	}
	d.mu.Lock()
	tool.Version = d.version
	d.mu.Unlock()
	if tool.Version != "" {
		return tool, nil
	}
	out, err := d.exec(ctx, call{args: []string{"--version"}, timeout: readTimeout})
	if f, ok := errors.AsType[*failure](err); ok && f.killed {
		return tool, fault.New(fault.ToolFailed, "tool_slow", "The token tool ykman doesn't answer. Try again in a moment; if that doesn't "+
			"help, restart the agent.").With(errors.New(f.Error()))
	} else if ok {
		return tool, fault.New(fault.ToolMissing, "broken",
			"The token tool ykman is on this computer, but doesn't start: it or one of its Python modules is damaged or missing. Reinstall "+
				"YubiKey Manager (package yubikey-manager), or start the agent with --tool and the path of one that works.").With(
			errors.New(f.Error())) // not a *failure: classify would judge it as another step's
	}
	if err != nil {
		return tool, err
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return tool, fault.New(fault.ToolFailed, "no_version",
			"The token tool doesn't report its version. Check that --tool points to ykman.")
	}
	if v, err := piv.ParseVersion(string(m[1])); err != nil || !v.AtLeast(least) {
		return tool, fault.Newf(fault.ToolMissing, "too_old",
			"The token tool ykman on this computer has version {version}, and the agent needs {least} or later. Update YubiKey Manager "+
				"(package yubikey-manager), or start the agent with --tool and the path of a later one.",
			fault.Params{"version": string(m[1]), "least": least.String()})
	}
	tool.Version = string(m[0])
	d.mu.Lock()
	d.version = tool.Version
	d.mu.Unlock()
	return tool, nil
}

// find looks for the tool at every call, so that installing it needs no restart
// of the agent.
func (d *Driver) find() (string, error) {
	path, err := exec.LookPath(d.path)
	if err != nil {
		return "", fault.New(fault.ToolMissing, "not_found",
			"The token tool ykman was not found on this computer. Install YubiKey Manager (package yubikey-manager), or start the agent "+
				"with --tool and the tool's path.").With(err)
	}
	return path, nil
}
