package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Chromium browsers ask the user before a page may access a program on the same
// machine (Local Network Access). With these policies, an administrator allows
// it for everyone; where both are known, the newer one takes precedence.
var localPolicies = []string{
	"LoopbackNetworkAllowedForUrls",    // Chrome and Edge 146 and later
	"LocalNetworkAccessAllowedForUrls", // Chrome 139 and Edge 140 and later
}

// policyFile is a browser policy in the format of one operating system.
type policyFile struct {
	name, media string
	content     []byte
}

// browserPolicies allow the pages of one origin to access the agent.
func browserPolicies(siteURL string) map[string]policyFile {
	out := map[string]policyFile{}
	for _, f := range []policyFile{
		{"linux.json", "application/json", linuxPolicy(siteURL)},
		{"windows.reg", "text/x-ms-regedit", windowsPolicy(siteURL)},
		{"macos.mobileconfig", "application/x-apple-aspen-config", macPolicy(siteURL)},
	} {
		out[f.name] = f
	}
	return out
}

func (f policyFile) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.media)
	h.Set("Content-Disposition", `attachment; filename="keyward-`+f.name+`"`)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Length", strconv.Itoa(len(f.content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.content)
	}
}

// linuxPolicy belongs in /etc/chromium/policies/managed, /etc/opt/chrome/… or /etc/opt/edge/….
func linuxPolicy(siteURL string) []byte {
	policy := map[string][]string{}
	for _, name := range localPolicies {
		policy[name] = []string{siteURL}
	}
	text, _ := json.MarshalIndent(policy, "", "  ") // strings only
	return append(text, '\n')
}

// windowsPolicy is a file for the registry editor. List entries are numbered:
// ours has a number unlikely to be used by hand.
func windowsPolicy(siteURL string) []byte {
	var b strings.Builder
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(siteURL)
	b.WriteString("Windows Registry Editor Version 5.00\r\n")
	for _, browser := range []string{`Google\Chrome`, `Microsoft\Edge`} {
		for _, name := range localPolicies {
			fmt.Fprintf(&b, "\r\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\%s\\%s]\r\n\"56123\"=\"%s\"\r\n", browser, name, quoted)
		}
	}
	return []byte(b.String())
}

// macPolicy is a configuration profile. Its identifiers derive from the site's
// address, so that a newer profile of the same site replaces the older.
func macPolicy(siteURL string) []byte {
	var b bytes.Buffer
	text := func(s string) string {
		var e bytes.Buffer
		_ = xml.EscapeText(&e, []byte(s)) // a buffer accepts everything
		return e.String()
	}
	pair := func(key, value string) { fmt.Fprintf(&b, "\t<key>%s</key><string>%s</string>\n", key, text(value)) }
	head := func(kind, id string) {
		pair("PayloadType", kind)
		pair("PayloadIdentifier", "org.keyward.agent."+id)
		pair("PayloadUUID", uuid(siteURL+" "+id))
		b.WriteString("\t<key>PayloadVersion</key><integer>1</integer>\n")
	}
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` +
		"\n<plist version=\"1.0\">\n<dict>\n")
	head("Configuration", "browsers")
	pair("PayloadDisplayName", "Keyward: pages may reach the agent")
	pair("PayloadDescription", "Lets the pages of "+siteURL+" reach the Keyward agent on this Mac.")
	pair("PayloadScope", "System")
	b.WriteString("\t<key>PayloadContent</key>\n\t<array>\n")
	for _, browser := range []string{"com.google.Chrome", "com.microsoft.Edge"} {
		b.WriteString("\t<dict>\n")
		head(browser, browser)
		for _, name := range localPolicies {
			fmt.Fprintf(&b, "\t<key>%s</key><array><string>%s</string></array>\n", name, text(siteURL))
		}
		b.WriteString("\t</dict>\n")
	}
	b.WriteString("\t</array>\n</dict>\n</plist>\n")
	return b.Bytes()
}

// uuid returns a UUID of version 8 (RFC 9562, section 5.8) derived from a name.
func uuid(name string) string {
	sum := sha256.Sum256([]byte(name))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	h := strings.ToUpper(hex.EncodeToString(sum[:16]))
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
