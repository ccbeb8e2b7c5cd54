package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/envelope"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// signing measures signed CSRs a second through HTTP, each answered when its
// record and its audit entry are durable. The tokens' owners ask, each with
// the own session, and no token's slot twice.
func signing(ctx context.Context, b *bench) error {
	subject, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	devices := b.size(6000, 200)
	rows := storebench.Size{Organizations: 20, Users: 1000, Devices: devices, Sessions: devices}
	bodies, err := requests(subject, rows)
	if err != nil {
		return err
	}
	agent, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		return err
	}
	public, err := envelope.EncodePublicKey(&agent.PublicKey)
	if err != nil {
		return err
	}
	fsyncs, err := b.fsyncs()
	if err != nil {
		return err
	}
	for _, c := range []struct {
		key  piv.KeyType
		aim  func(share, rate float64) aim
		note string
	}{
		{piv.RSA2048, func(share, _ float64) aim { return atLeast(0.8, share, "") }, ""},
		{piv.RSA4096, func(share, _ float64) aim { return atLeast(0.8, share, "") }, ""},
		{piv.ECP256, func(_, rate float64) aim { return atLeast(3000, rate, "/s") }, fmt.Sprintf("; disk %.0f fsync/s", fsyncs)},
	} {
		var tokens []string
		prepare := func(w *world) (err error) {
			if tokens, err = w.perDevice(ctx); err != nil {
				return err
			}
			return w.agents(ctx, public)
		}
		err := b.serving(ctx, fill{name: "sign-" + string(c.key), rows: rows, caKey: c.key}, nil, prepare, func(_ *world, p *process) error {
			ours, raw, err := b.signed(ctx, p, c.key, subject, bodies, tokens)
			if err != nil {
				return err
			}
			b.out.rates("CSRs signed, CA "+string(c.key), ours, "x509.CreateCertificate"+c.note, raw,
				c.aim(ours.rate()/raw.rate(), ours.rate()), goClient+", 64 connections")
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// perDevice is the access token of each device's owner.
func (w *world) perDevice(ctx context.Context) ([]string, error) {
	list := make([]string, w.rows.Devices)
	var err error
	for i := range list {
		if list[i], err = w.token(ctx, i+1); err != nil { // session n and device n have one owner
			return nil, err
		}
	}
	return list, nil
}

// agents registers an agent with the session of each device's owner: a key
// that no attestation vouches for is signed for nobody else.
func (w *world) agents(ctx context.Context, public string) error {
	return everywhere(w.rows.Devices, func(i int) error {
		key := session.AgentKey{PublicKey: public, Fingerprint: "bench", Hostname: "bench", At: time.Now()}
		return w.store.RegisterAgent(ctx, int64(i+1), key, func(session.AgentState) (session.AgentDecision, error) {
			return session.AgentDecision{}, nil
		})
	})
}

// requests makes the CSR of each device, as the JSON strings of bodies. One
// subject key serves all; the signatures differ with the names.
func requests(subject *rsa.PrivateKey, rows storebench.Size) ([]string, error) {
	bodies := make([]string, rows.Devices)
	return bodies, everywhere(rows.Devices, func(i int) error {
		template := &x509.CertificateRequest{
			Subject: pkix.Name{CommonName: fmt.Sprintf("user%d", (i+1)%rows.Users+1)},
			// An extension that nobody asked for is ignored; here it makes sure
			// that no two CSRs are alike.
			ExtraExtensions: []pkix.Extension{{Id: []int{1, 3, 6, 1, 4, 1, 55555, 1}, Value: fmt.Appendf(nil, "\x0c\x08%08d", i)}},
		}
		der, err := x509.CreateCertificateRequest(rand.Reader, template, subject)
		if err != nil {
			return err
		}
		text, err := json.Marshal(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})))
		bodies[i] = string(text)
		return err
	})
}

// everywhere does n pieces of work on all cores.
func everywhere(n int, work func(i int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, runtime.NumCPU())
	for range runtime.NumCPU() {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	return <-failures
}

func (b *bench) signed(
	ctx context.Context, p *process, caKey piv.KeyType, subject *rsa.PrivateKey, bodies, tokens []string,
) (ours, raw sample, err error) {
	var n atomic.Int64
	next := func(buf []byte, _ int64) ([]byte, error) {
		i := int(n.Add(1)) - 1
		device, slot := i%len(bodies), i/len(bodies)
		if slot >= len(piv.Slots) {
			return buf, errEnough
		}
		path := fmt.Sprintf("/api/hwkey/bench-%08d/sign-csr", device+1)
		return p.request(buf, "POST", path, tokens[device], `{"slot":"`+string(piv.Slots[slot])+`","csr":`+bodies[device]+`}`), nil
	}
	if _, err := p.load(ctx, 64, b.spell()/4, next); err != nil { // warm up
		return ours, raw, err
	}
	ca, key, err := issuance.NewRoot(caKey, "raw", time.Now())
	if err != nil {
		return ours, raw, err
	}
	return versus(b.rounds(),
		func() (sample, error) { return p.load(ctx, 64, b.spell(), next) },
		func() (sample, error) { return allCores(ctx, b.spell(), rawSign(ca, key, subject.Public())) })
}

// rawSign is x509.CreateCertificate with the content of our certificates.
func rawSign(ca *x509.Certificate, key crypto.Signer, subject crypto.PublicKey) func() error {
	limit := new(big.Int).Lsh(big.NewInt(1), 158)
	return func() error {
		serial, err := rand.Int(rand.Reader, limit)
		if err != nil {
			return err
		}
		template := &x509.Certificate{
			SerialNumber: serial, Subject: pkix.Name{CommonName: "user1"}, EmailAddresses: []string{"user1@example.org"},
			NotBefore: time.Now(), NotAfter: time.Now().Add(8760 * time.Hour),
			KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
			ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection},
			BasicConstraintsValid: true,
			CRLDistributionPoints: []string{"http://localhost:8080/api/pki/crl"}, IssuingCertificateURL: []string{
				"http://localhost:8080/api/pki/ca"},
		}
		_, err = x509.CreateCertificate(rand.Reader, template, ca, subject, key)
		return err
	}
}

// allCores repeats work on every core for d, in this process.
func allCores(ctx context.Context, d time.Duration, work func() error) (sample, error) {
	var ops atomic.Int64
	before, began := cpu(os.Getpid()), time.Now()
	err := everywhere(runtime.NumCPU(), func(int) error {
		for time.Since(began) < d && ctx.Err() == nil {
			if err := work(); err != nil {
				return err
			}
			ops.Add(1)
		}
		return nil
	})
	return sample{ops: ops.Load(), took: time.Since(began), cpu: cpu(os.Getpid()) - before}, err
}

// fsyncs is what the disk does alone: appended pages, each made durable.
func (b *bench) fsyncs() (perSecond float64, err error) {
	f, err := os.Create(filepath.Join(b.temp, "fsync"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	const count = 200
	page, began := make([]byte, 4096), time.Now()
	for range count {
		if _, err := f.Write(page); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
	}
	return count / time.Since(began).Seconds(), nil
}
