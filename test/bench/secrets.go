package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

// secretsReleased measures released values per second, each encrypted for an agent's
// 4096-bit key and audited, against the encryption alone.
func secretsReleased(ctx context.Context, b *bench) error {
	key, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		return err
	}
	rows := storebench.Size{Organizations: 1, Users: 10, Sessions: 1}
	return b.serving(ctx, fill{name: "secrets", rows: rows, caKey: piv.ECP256}, nil, nil, func(w *world, p *process) error {
		const devices = 20 // as many as one person may get within an hour
		if err := w.ready(ctx, p, key, devices); err != nil {
			return err
		}
		for _, c := range []struct {
			name, fields string
			values       int64
		}{{"secrets released, PIN alone", "", 1}, {"secrets released, all three", "&fields=pin,puk,management_key", 3}} {
			ours, raw, err := b.released(ctx, w, p, key, devices, c.fields)
			if err != nil {
				return err
			}
			ours.ops *= c.values
			b.out.rates(c.name, ours, "rsa.EncryptOAEP, 4096 bits", raw, none, goClient+", 64 connections")
		}
		return nil
	})
}

// ready registers tokens, and the administrator's agent.
func (w *world) ready(ctx context.Context, p *process, key *rsa.PrivateKey, devices int) error {
	for i := range devices {
		body := fmt.Sprintf(`{"serial":"secret-%04d","firmware_version":"5.4.3"}`, i)
		if err := p.do(ctx, "POST", "/api/hwkey", w.admin, body, new(bytes.Buffer)); err != nil {
			return err
		}
	}
	public, err := agentkey.EncodePublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"public_key": public, "hostname": "bench"})
	if err != nil {
		return err
	}
	var who bytes.Buffer
	if err := p.do(ctx, "GET", "/api/auth/me", w.admin, "", &who); err != nil {
		return err
	}
	var me struct {
		SessionID int64 `json:"session_id"`
	}
	if err := json.Unmarshal(who.Bytes(), &me); err != nil {
		return err
	}
	return p.do(ctx, "POST", fmt.Sprintf("/api/session/%d/register-agent", me.SessionID), w.admin, string(body), new(bytes.Buffer))
}

func (b *bench) released(
	ctx context.Context, w *world, p *process, key *rsa.PrivateKey, devices int, fields string,
) (ours, raw sample, err error) {
	var n atomic.Int64
	next := func(buf []byte, _ int64) ([]byte, error) {
		path := fmt.Sprintf("/api/hwkey/secret-%04d/secrets?reason=load%s", n.Add(1)%int64(devices), fields)
		return p.request(buf, "GET", path, w.admin, ""), nil
	}
	pin, label := []byte("12345678"), []byte("keyward/1/20260001/pin")
	return versus(b.rounds(),
		func() (sample, error) { return p.load(ctx, 64, b.spell(), next) },
		func() (sample, error) {
			return allCores(ctx, b.spell(), func() error {
				_, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &key.PublicKey, pin, label)
				return err
			})
		})
}
