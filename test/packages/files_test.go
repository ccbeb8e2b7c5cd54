package packages

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/programs"
)

const deploy = "../../deploy/"

// read returns a file below deploy/.
func read(t *testing.T, name string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(deploy + name))(t))
}

// settings loads a settings file as the unit's server does.
func settings(t *testing.T, content string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keyward.env")
	must.OK(t, os.WriteFile(file, []byte(content), 0o600))
	_, err := config.LoadFor(config.Serve, []string{"--config", file}, func(string) string { return "" })
	return err
}

// TestSettingsFile: the server starts with it as it is, and with every line that somebody
// takes the # away from. The files that it names then are all that is missing.
func TestSettingsFile(t *testing.T) {
	t.Parallel()
	shipped := read(t, "packages/keyward.env")
	if err := settings(t, shipped); err != nil {
		t.Errorf("as it is: %v", err)
	}
	all := regexp.MustCompile(`(?m)^#([A-Z_]+=)`).ReplaceAllString(shipped, "$1")
	if all == shipped {
		t.Error("it proposes nothing")
	}
	if err := settings(t, all+"\nNO_SUCH_SETTING=1\n"); err == nil || !strings.Contains(err.Error(), "unknown setting") {
		t.Errorf("an unknown name: %v", err)
	}
	var mistakes config.Mistakes
	if err := settings(t, all); err != nil && !errors.As(err, &mistakes) {
		t.Error(err)
	}
	for _, m := range mistakes {
		if !strings.Contains(m.Message, "file") && !strings.HasPrefix(m.Setting, "VAULT_") { // a Vault needs credentials, too
			t.Errorf("with all lines: %s %s", m.Setting, m.Message)
		}
	}
}

// TestUnits: systemd understands them, and the server's is hardened.
func TestUnits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// The programs are not installed here.
	here := strings.NewReplacer("/usr/bin/keyward-agent", "/bin/true", "/usr/bin/keyward", "/bin/true")
	for _, name := range []string{"keyward.service", "keyward-agent.service"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(here.Replace(read(t, "systemd/"+name))), 0o600))
	}
	for _, args := range [][]string{
		{"verify", "--man=no", filepath.Join(dir, "keyward.service")},
		{"verify", "--man=no", "--user", filepath.Join(dir, "keyward-agent.service")},
		{"security", "--offline=true", "--threshold=20", "--no-pager", filepath.Join(dir, "keyward.service")},
	} {
		cmd := exec.CommandContext(t.Context(), "systemd-analyze", args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "SYSTEMD_LOG_LEVEL=warning")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}

// TestPackagesAreMade: nfpm makes both packages in both formats of the committed files, with
// stand-ins for what is compiled.
func TestPackagesAreMade(t *testing.T) {
	t.Parallel()
	nfpm := must.Get(programs.Tool("nfpm"))(t)
	stage := t.TempDir()
	for _, folder := range []string{"deploy", "docs"} {
		must.OK(t, os.Symlink(must.Get(filepath.Abs("../../"+folder))(t), filepath.Join(stage, folder)))
	}
	for _, name := range []string{"copyright", "keyward-pages.cdx.json"} {
		must.OK(t, os.WriteFile(filepath.Join(stage, name), nil, 0o600))
	}
	for _, program := range []string{"keyward", "keyward-agent"} {
		for _, name := range []string{
			program, program + ".cdx.json", "man/" + program + "/" + program + ".1.gz",
			"completions/" + program + ".bash", "completions/" + program + ".zsh", "completions/" + program + ".fish",
		} {
			file := filepath.Join(stage, name)
			must.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must.OK(t, os.WriteFile(file, nil, 0o600))
		}
		for _, format := range []string{"deb", "rpm"} {
			cmd := exec.CommandContext(t.Context(), nfpm, "package", "--config", "deploy/packages/"+program+".yaml",
				"--packager", format, "--target", stage+"/")
			cmd.Dir, cmd.Env = stage, append(os.Environ(), "ARCH=amd64", "PACKAGE_VERSION=1.2.3~rc.1", "SOURCE_DATE_EPOCH=1700000000")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v\n%s", program, format, err, out)
			}
		}
	}
	made := filepath.Join(stage, "keyward_1.2.3~rc.1-1_amd64.deb")
	listed := string(must.Get(exec.CommandContext(t.Context(), "dpkg-deb", "-c", made).Output())(t))
	for _, line := range []string{
		`-rwxr-xr-x root/root .* ./usr/bin/keyward`, `-rw-r----- root/root .* ./etc/keyward/keyward\.env`,
		`drwx------ root/root .* ./etc/keyward/credentials/`, `-rw-r--r-- root/root .* ./usr/share/man/man1/keyward\.1\.gz`,
		`-rw-r--r-- root/root .* ./usr/share/doc/keyward/grafana/keyward\.json`,
		`-rw-r--r-- root/root .* ./usr/share/doc/keyward/docs/operations\.md`,
		`-rw-r--r-- root/root .* ./usr/share/doc/keyward/prometheus/keyward\.rules\.yml`,
	} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(listed) {
			t.Errorf("%s is missing:\n%s", line, listed)
		}
	}
	if strings.Contains(strings.ReplaceAll(listed, " 2023-11-14 22:13 ", ""), ":") {
		t.Errorf("not all is of the time given:\n%s", listed)
	}
}

// TestPackageVersion: versions are sorted by dpkg as git describes them.
func TestPackageVersion(t *testing.T) {
	t.Parallel()
	last := "0"
	for _, described := range []string{
		"a83782bd", "v0.9.0", "v1.0.0-rc.1", "v1.0.0-rc.1-3-gabc0123", "v1.0.0-rc.2", "v1.0.0", "v1.0.0-5-gabc0123", "v1.0.0-10-gdef0123-dirty",
		"v1.0.1",
	} {
		out := must.Get(exec.CommandContext(t.Context(), "../../scripts/package-version", described, "1700000000").Output())(t)
		version := strings.TrimSpace(string(out))
		if err := exec.CommandContext(t.Context(), "dpkg", "--compare-versions", version, "gt", last).Run(); err != nil {
			t.Errorf("%s (%s) is not above %s", version, described, last)
		}
		last = version
	}
}

// TestLaunchAgent: the property list is XML, and its arguments are the agent's.
func TestLaunchAgent(t *testing.T) {
	t.Parallel()
	list := read(t, "launchd/org.keyward.agent.plist")
	for d := xml.NewDecoder(strings.NewReader(list)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	help := string(must.Get(exec.CommandContext(t.Context(), "go", "run", "../../cmd/keyward-agent", "--help").Output())(t))
	for _, text := range []string{list, read(t, "windows/install.ps1"), read(t, "packages/agent.env")} {
		if !strings.Contains(text, "--origin") || !strings.Contains(help, "--origin") {
			t.Error("the agent is started without --origin")
		}
	}
}
