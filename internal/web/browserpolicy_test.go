package web

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestBrowserPolicies(t *testing.T) {
	t.Parallel()
	h := newTestSite(t, testTree())
	files := map[string]string{}
	for name, media := range map[string]string{
		"linux.json": "application/json", "windows.reg": "text/x-ms-regedit", "macos.mobileconfig": "application/x-apple-aspen-config",
	} {
		res := get(t, h, "GET", "/downloads/policies/"+name)
		files[name] = body(t, res)
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != media || res.Header.Get("Content-Disposition") != `attachment; filename="keyward-`+name+`"` {
			t.Errorf("%s: %d %v", name, res.StatusCode, res.Header)
		}
		if head := get(t, h, "HEAD", "/downloads/policies/"+name); head.StatusCode != http.StatusOK || body(t, head) != "" {
			t.Errorf("HEAD %s: %d", name, head.StatusCode)
		}
		for _, policy := range localPolicies {
			if !strings.Contains(files[name], policy) || !strings.Contains(files[name], "https://keyward.example") {
				t.Errorf("%s does not set %s:\n%s", name, policy, files[name])
			}
		}
	}
	var linux map[string][]string
	if err := json.Unmarshal([]byte(files["linux.json"]), &linux); err != nil || len(linux) != 2 {
		t.Errorf("linux: %v %v", err, linux)
	}
	if !strings.Contains(files["windows.reg"],
		"[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Google\\Chrome\\LoopbackNetworkAllowedForUrls]\r\n\"56123\"=\"https://keyward.example\"\r\n") {
		t.Errorf("windows: %q", files["windows.reg"])
	}
	d := xml.NewDecoder(strings.NewReader(files["macos.mobileconfig"]))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("mac: %v\n%s", err, files["macos.mobileconfig"])
		}
	}
	if !strings.Contains(files["macos.mobileconfig"], "<key>PayloadType</key><string>com.google.Chrome</string>") {
		t.Errorf("mac: %s", files["macos.mobileconfig"])
	}
}
