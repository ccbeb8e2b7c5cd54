package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

// auditing measures the audit log: pages of it, export and verification.
func auditing(ctx context.Context, b *bench) error {
	sizes := []int{1_000_000, 10_000_000}
	if b.quick {
		sizes = []int{1000, 2000}
	}
	for _, size := range sizes {
		rows := storebench.Size{Organizations: 10, Users: 1000, Sessions: 1, Audit: size}
		f := fill{name: fmt.Sprint("audit-", size), rows: rows, caKey: piv.ECP256}
		err := b.serving(ctx, f, nil, func(w *world) error { return w.seal(ctx) }, func(w *world, p *process) error {
			if err := b.auditPages(ctx, w, p, size); err != nil || size != sizes[0] { // it shows what a row costs
				return err
			}
			if err := b.export(ctx, w, p, size); err != nil {
				return err
			}
			return b.verify(ctx, w, p, size)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// seal does what the server's first run would.
func (w *world) seal(ctx context.Context) (err error) {
	db, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return (&chain.Sealer{Store: db, Vault: w.sign.Vault, Now: time.Now}).Run(ctx)
}

func perSecond(rows int, took time.Duration) string {
	return fmt.Sprintf("%.0f rows/s", float64(rows)/took.Seconds())
}

// auditPages reads first pages and pages far back, with the filters that people use. If
// the cost is flat, all sizes take the same time.
func (b *bench) auditPages(ctx context.Context, w *world, p *process, size int) error {
	const list = "/api/admin/audit?limit=50"
	var answer bytes.Buffer
	if err := p.do(ctx, "GET", list+"&cursor="+page.Cursor(int64(size/5)), w.admin, "", &answer); err != nil {
		return err
	}
	var far struct {
		Items []struct {
			At string `json:"at"`
		} `json:"items"`
	}
	if err := json.Unmarshal(answer.Bytes(), &far); err != nil {
		return err
	}
	if len(far.Items) == 0 {
		return errors.New("there is no page far back")
	}
	back := "&to=" + url.QueryEscape(far.Items[0].At)
	for _, c := range []struct{ name, query string }{
		{"first page", ""},
		{"a tenth from the end", "&cursor=" + page.Cursor(int64(size/10))},
		{"a time far back", back},
		{"one actor, far back", "&actor=user33" + back},
		{"hwkey.*, far back", "&action=hwkey." + back},
		{"denied, far back", "&outcome=denied" + back},
	} {
		if err := b.list(ctx, w, p, fmt.Sprintf("50 of %d audit entries, %s", size, c.name), list+c.query); err != nil {
			return err
		}
	}
	return nil
}

// counter counts lines.
type counter struct{ lines int }

func (c *counter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

func (b *bench) export(ctx context.Context, w *world, p *process, size int) error {
	var c counter
	began := time.Now()
	if err := p.do(ctx, "GET", "/api/admin/audit/export?format=ndjson", w.admin, "", &c); err != nil {
		return err
	}
	took := time.Since(began)
	if c.lines < size {
		return fmt.Errorf("the export has %d lines of %d", c.lines, size)
	}
	b.out.durations(fmt.Sprintf("export of %d audit entries", size), perSecond(c.lines, took), "", "",
		atLeast(100_000, float64(c.lines)/took.Seconds(), " rows/s"), goClient)
	return nil
}

// verify runs the command alongside the server, with a head from it.
func (b *bench) verify(ctx context.Context, w *world, p *process, size int) error {
	var seal bytes.Buffer
	if err := p.do(ctx, "GET", "/api/admin/audit/seal", w.admin, "", &seal); err != nil {
		return err
	}
	var answer struct {
		PublicKey string `json:"public_key"`
	}
	if err := json.Unmarshal(seal.Bytes(), &answer); err != nil {
		return err
	}
	head := filepath.Join(b.temp, "head.json")
	if err := os.WriteFile(head, seal.Bytes(), 0o600); err != nil {
		return err
	}
	var out bytes.Buffer
	began := time.Now()
	v, err := b.spawn(ctx, &out, w.env, filepath.Join(b.bin, "keyward"), "audit", "verify", "--data",
		w.data, "--public-key", answer.PublicKey, "--head", head)
	if err != nil {
		return err
	}
	if err := <-v.done; err != nil {
		return fmt.Errorf("verify: %w\n%s%s", err, out.String(), v.tail())
	}
	took := time.Since(began)
	b.out.durations(fmt.Sprintf("keyward audit verify, %d entries", size), perSecond(size, took), "",
		"", atLeast(100_000, float64(size)/took.Seconds(), " rows/s"), "beside the server")
	return nil
}
