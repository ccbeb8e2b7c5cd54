package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
)

// healthcheckCommand is for container health probes: the image needs no curl.
func healthcheckCommand(std IO) *cobra.Command {
	var base string
	c := commandline.Leaf("healthcheck", "ask a running server for its health; exit 0 if it serves",
		`Asks a running server for its health. Exits with code 0 if it serves (status ok
or degraded), otherwise with 1. Without --url, it asks the server on this
machine, on the port in LISTEN (default 8080), and uses https if TLS_CERT_FILE
is set; in that case, it doesn't check the certificate, which is for another
name.`,
		func(ctx context.Context) error { return healthcheck(ctx, base, std) })
	commandline.Text(c, &base, "url", "URL", "the server to ask")
	return c
}

func healthcheck(ctx context.Context, base string, std IO) error {
	client := http.DefaultClient
	if base == "" {
		base, client = self{std.Getenv("LISTEN"), std.Getenv("TLS_CERT_FILE") != ""}.client()
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return usagef("healthcheck: --url must be http:// or https:// with a host")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("health").String(), nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the server is not responding: %w", err)
	}
	defer res.Body.Close()
	var answer struct{ Status, Version, Database, Vault string }
	if err := json.NewDecoder(io.LimitReader(res.Body, 4096)).Decode(&answer); err != nil {
		return fmt.Errorf("status %d without a health response; is this a Keyward server?", res.StatusCode)
	}
	fmt.Fprintf(std.Stdout, "%s version=%s", answer.Status, answer.Version)
	if answer.Database != "" { // a frontend has none
		fmt.Fprintf(std.Stdout, " database=%s vault=%s", answer.Database, answer.Vault)
	}
	fmt.Fprintln(std.Stdout)
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is %s", answer.Status)
	}
	return nil
}

// self is where a server of this machine listens.
type self struct {
	listen string
	tls    bool
}

// client returns its base URL, and what to ask it with: on a new connection each time.
func (s self) client() (base string, client *http.Client) {
	base = "http://"
	if s.tls {
		base = "https://"
	}
	// #nosec G402 -- this machine itself, and nothing is told or trusted
	trusting := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	return base + localHost(s.listen), &http.Client{Transport: trusting}
}

// localHost returns the address on this machine of a server that listens there.
func localHost(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "127.0.0.1:8080"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
