package loopback

import "testing"

func TestSite(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]bool{
		"http://localhost:8080": true, "https://LOCALHOST": true, "http://127.0.0.1": true, "http://127.1.2.3:80": true,
		"http://[::1]:8080":         true,
		"http://[::ffff:127.0.0.1]": true, "https://keyward.example.com": false, "http://localhost.example.com": false, "http://128.0.0.1": false,
		"http://127.0.0.1.example.com": false, "": false, "http://[::2]": false, "http://0.0.0.0": false, "http://%zz": false,
	} {
		if Site(site) != want {
			t.Errorf("%q: %v", site, !want)
		}
	}
}
