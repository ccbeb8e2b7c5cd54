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
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// signing measures signed CSRs per second over HTTP, each answered when its record and
// its audit entry are durable. The tokens' owners send them, each in their own session,
// and no slot twice.
func signing(ctx context.Context, b *bench) error {
	devices := b.size(6000, 200)
	// The tables have rows already: PostgreSQL would plan for an empty table to stay
	// empty.
	rows := storebench.Size{Organizations: 20, Users: 1000, Devices: devices, Sessions: devices, Certificates: devices, Audit: devices}
	people, err := newSigners(rows)
	if err != nil {
		return err
	}
	for _, caKey := range []piv.KeyType{piv.RSA2048, piv.ECP256} {
		prepare := func(w *world) error { return people.prepare(ctx, w) }
		err := b.serving(ctx, fill{name: "sign-" + string(caKey), rows: rows, caKey: caKey}, nil, prepare, func(_ *world, p *process) error {
			raw, err := b.alone(ctx, caKey, people.subject)
			if err != nil {
				return err
			}
			ours, limit, err := b.signed(ctx, p, p.signings(people.bodies, people.tokens, "", piv.Slots...), raw)
			if err != nil {
				return err
			}
			b.out.rates("CSRs signed, CA "+string(caKey), ours, "x509.CreateCertificate", limit, b.signingAim(caKey, ours, limit),
				goClient+", 64 connections")
			return nil
		})
		if err != nil {
			return err
		}
	}
	return b.signingByProfile(ctx)
}

// signingByProfile measures certificates to log on with beside those for everything, in turn.
func (b *bench) signingByProfile(ctx context.Context) error {
	devices := b.size(9000, 200)
	rows := storebench.Size{Organizations: 20, Users: 1000, Devices: devices, Sessions: devices, Certificates: devices, Audit: devices}
	people, err := newSigners(rows)
	if err != nil {
		return err
	}
	prepare := func(w *world) error { return people.prepare(ctx, w) }
	return b.serving(ctx, fill{name: "sign-profiles", rows: rows, caKey: piv.RSA2048}, []string{"PKI_KERBEROS_REALM=EXAMPLE.ORG"}, prepare,
		func(_ *world, p *process) error {
			usual := p.signings(people.bodies, people.tokens, "", piv.Signature)
			logon, limit, err := b.signed(ctx, p, p.signings(people.bodies, people.tokens, "logon", piv.Authentication),
				func() (sample, error) { return p.load(ctx, 64, b.spell(), usual) })
			if err != nil {
				return err
			}
			b.out.rates("CSRs signed, profile logon", logon, "profile default", limit, atLeast(0.9, logon.rate()/limit.rate(), ""),
				goClient+", 64 connections")
			return nil
		})
}

// signers are the owners of all devices, each with a session, an agent and a CSR.
type signers struct {
	subject crypto.PublicKey // of every CSR
	bodies  []string         // the requests, by device
	agent   session.AgentKey // everybody's
	tokens  []string         // access tokens, by device; after prepare
}

func newSigners(rows storebench.Size) (*signers, error) {
	subject, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	s := &signers{subject: subject.Public()}
	if s.bodies, err = requests(subject, rows); err != nil {
		return nil, err
	}
	agent, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		return nil, err
	}
	s.agent = session.AgentKey{Hostname: "bench", At: time.Now()}
	if s.agent.PublicKey, err = agentkey.EncodePublicKey(&agent.PublicKey); err != nil {
		return nil, err
	}
	s.agent.Fingerprint, err = agentkey.Fingerprint(&agent.PublicKey)
	return s, err
}

func (s *signers) prepare(ctx context.Context, w *world) (err error) {
	if s.tokens, err = w.perDevice(ctx); err != nil {
		return err
	}
	return w.agents(ctx, s.agent)
}

// signingAim returns a share of the raw limit, or with P-256 a rate; on Vault there is
// none.
func (b *bench) signingAim(caKey piv.KeyType, ours, raw sample) aim {
	share := ours.rate() / raw.rate()
	switch {
	case caKey == piv.ECP256 && b.on == onSQLite:
		return atLeast(3000, ours.rate(), "/s")
	case caKey == piv.ECP256 || b.on == onPostgres:
		return none
	}
	return atLeast(0.8, share, "")
}

// perDevice returns the access token of each device's owner.
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

// agents registers an agent with the session of each device's owner: without one, an
// unattested key is not signed.
func (w *world) agents(ctx context.Context, key session.AgentKey) error {
	return everywhere(w.rows.Devices, func(i int) (err error) {
		key := key
		if key.MAC, err = w.sign.Vouch(ctx, int64(i+1), int64(w.owner(i+1)), key); err != nil {
			return err
		}
		return w.store.RegisterAgent(ctx, int64(i+1), key, func(session.AgentState) (session.AgentDecision, error) {
			return session.AgentDecision{}, nil
		})
	})
}

// requests creates each device's CSR, as the JSON strings of bodies. All share one
// subject key; the signatures differ with the names.
func requests(subject *rsa.PrivateKey, rows storebench.Size) ([]string, error) {
	bodies := make([]string, rows.Devices)
	return bodies, everywhere(rows.Devices, func(i int) error {
		template := &x509.CertificateRequest{
			Subject: pkix.Name{CommonName: fmt.Sprintf("user%d", (i+1)%rows.Users+1)},
			// An unexpected extension is ignored; this one makes all CSRs different.
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

// everywhere runs n pieces of work on all cores.
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

// signings returns the requests to sign: slot by slot, for all tokens.
func (p *process) signings(bodies, tokens []string, profile string, slots ...piv.Slot) next {
	var n atomic.Int64
	return func(buf []byte, _ int64) ([]byte, error) {
		i := int(n.Add(1)) - 1
		device, slot := i%len(bodies), i/len(bodies)
		if slot >= len(slots) {
			return buf, errEnough
		}
		path := fmt.Sprintf("/api/hwkey/bench-%08d/sign-csr", device+1)
		body := `{"slot":"` + string(slots[slot]) + `","csr":` + bodies[device]
		if profile != "" {
			body += `,"profile":"` + profile + `"`
		}
		return p.request(buf, "POST", path, tokens[device], body+"}"), nil
	}
}

// signed measures a server against raw, which is a CA alone.
func (b *bench) signed(ctx context.Context, p *process, next next, raw func() (sample, error)) (ours, limit sample, err error) {
	if _, err := p.load(ctx, 64, b.spell()/4, next); err != nil { // warm up
		return ours, limit, err
	}
	return versus(b.rounds(), func() (sample, error) { return p.load(ctx, 64, b.spell(), next) }, raw)
}

// alone returns the raw limit of signing: the signing library.
func (b *bench) alone(ctx context.Context, caKey piv.KeyType, subject crypto.PublicKey) (raw func() (sample, error), err error) {
	ca, key, err := issuance.NewRoot(caKey, "raw", time.Now())
	if err != nil {
		return nil, err
	}
	return func() (sample, error) { return allCores(ctx, b.spell(), rawSign(ca, key, subject)) }, nil
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
