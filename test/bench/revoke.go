package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

// revoking measures the time from the revocation request until the published CRL shows
// it, and the server's memory at that time. The CA key is the default one.
func revoking(ctx context.Context, b *bench) error {
	size := b.size(1_000_000, 1000)
	for _, of := range []struct{ certificates, revoked int }{{1000, size}, {size, size / 100}} {
		f := fill{name: fmt.Sprint("revoke-", of.revoked), caKey: piv.RSA3072, revoked: of.revoked, rows: storebench.Size{
			Organizations: 1, Users: 10, Devices: max(100, of.certificates/10), Certificates: of.certificates,
		}}
		what := fmt.Sprintf("%d certificates, %d more revoked", of.certificates, of.revoked)
		if err := b.serving(ctx, f, nil, nil, func(w *world, p *process) error { return b.revoke(ctx, w, p, what) }); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) revoke(ctx context.Context, w *world, p *process, what string) error {
	serials, err := w.live(ctx, p, 7)
	if err != nil {
		return err
	}
	var took []time.Duration
	for _, serial := range serials {
		began := time.Now()
		err := p.do(ctx, "POST", "/api/certificates/"+serial+"/revoke", w.admin, `{"reason":"superseded"}`, new(bytes.Buffer))
		if err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	var crl bytes.Buffer
	if err := p.do(ctx, "GET", "/api/pki/crl", "", "", &crl); err != nil {
		return err
	}
	if err := lists(crl.Bytes(), serials); err != nil {
		return err
	}
	slices.Sort(took)
	median, worst := at(took, 50), took[len(took)-1]
	b.out.durations("revocation to published CRL, "+what,
		fmt.Sprintf("median %s, worst of %d %s", brief(median), len(took), brief(worst)),
		"", "", atMost(time.Second, worst), goClient+", 1 connection")
	b.memory(p, what)
	return nil
}

func (b *bench) memory(p *process, what string) {
	const mega = 1e6
	now, peak, anonymous := p.memory("VmRSS"), p.memory("VmHWM"), p.memory("RssAnon")
	b.out.durations("memory after that, "+what, fmt.Sprintf("%d MB resident", now/mega),
		fmt.Sprintf("%d MB of it its own, the rest mapped files; peak %d MB", anonymous/mega, peak/mega), "",
		aim{"< 300 MB", now < 300*mega}, "/proc/PID/status")
}

// live returns serial numbers of certificates that are not revoked.
func (w *world) live(ctx context.Context, p *process, n int) ([]string, error) {
	var text bytes.Buffer
	if err := p.do(ctx, "GET", fmt.Sprintf("/api/certificates?status=issued&limit=%d", n), w.admin, "", &text); err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			SerialNumber string `json:"serial_number"`
		} `json:"items"`
	}
	if err := json.Unmarshal(text.Bytes(), &list); err != nil {
		return nil, err
	}
	var serials []string
	for _, c := range list.Items {
		serials = append(serials, c.SerialNumber)
	}
	if len(serials) < n {
		return nil, fmt.Errorf("only %d live certificates of %d", len(serials), n)
	}
	return serials, nil
}

// lists checks that a CRL contains the serials.
func lists(crl []byte, serials []string) error {
	for _, serial := range serials {
		raw, err := hex.DecodeString(serial)
		if err != nil {
			return err
		}
		if !bytes.Contains(crl, raw) {
			return errors.New("the published CRL does not show a certificate whose revocation was answered")
		}
	}
	return nil
}
