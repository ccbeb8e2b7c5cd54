package embedded

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/crl"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// load gets the key and opens the vault, which it creates in an empty file. vault.ErrSealed if the
// key is missing or wrong.
func (e *Engine) load(ctx context.Context) (*opened, error) {
	stored, empty, err := e.storedHeader()
	if err != nil {
		return nil, err
	}
	var dek []byte
	switch {
	case empty:
		dek, err = e.create(ctx)
	case len(stored) == 0:
		err = tampered("the header is missing")
	default:
		dek, err = e.unwrap(ctx, stored, nil)
	}
	if err != nil {
		return nil, err
	}
	return e.open(ctx, dek)
}

// storedHeader returns the header; empty if the file holds nothing at all.
func (e *Engine) storedHeader() (stored []byte, empty bool, err error) {
	empty = true
	err = guard(func() error {
		return e.db.View(func(tx *bolt.Tx) error {
			return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
				empty = false
				if string(name) == bucketMeta {
					stored = append([]byte(nil), b.Get(keyHeader)...)
				}
				return nil
			})
		})
	})
	if err != nil {
		return nil, false, asTampered(err)
	}
	return stored, empty, nil
}

// create makes a vault: first its seal key, durable before anything is encrypted with it, then
// header, CA and all buckets in one transaction, so that no vault without a CA ever exists.
func (e *Engine) create(ctx context.Context) ([]byte, error) {
	kek, params, err := e.opts.Seal.Create(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: the vault's seal key cannot be made or read: %w", vault.ErrUnavailable, err)
	}
	ca, err := newAuthority(e.opts.CAKeyType, e.opts.CACommonName, e.opts.ImportCA, e.now())
	if err != nil {
		return nil, err
	}
	dek := make([]byte, keySize)
	_, _ = rand.Read(dek)
	err = e.db.Update(func(tx *bolt.Tx) error { return initialize(tx, e.opts.Seal.Kind(), params, kek, dek, ca) })
	if err == nil {
		err = durable.SyncDir(filepath.Dir(e.db.Path()))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the vault can't be written: %w", vault.ErrUnavailable, err)
	}
	return dek, nil
}

func initialize(tx *bolt.Tx, kind string, params, kek, dek []byte, ca *authority) error {
	header, err := wrapDEK(kind, params, kek, dek)
	if err != nil {
		return err
	}
	meta, err := tx.CreateBucket([]byte(bucketMeta))
	if err != nil {
		return err
	}
	if err := meta.Put(keyHeader, header); err != nil {
		return err
	}
	for _, name := range recordBuckets {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	ring, err := newKeyring(dek)
	if err != nil {
		return err
	}
	t := &txn{reader: reader{tx, ring}}
	if err := t.putCA(ca, true); err != nil {
		return err
	}
	if err := t.seal(bucketPKI, keyCRL, crlMark{}.encode()); err != nil {
		return err
	}
	return t.finish()
}

// unwrap gets the data-encryption key of an existing vault. several is called if the seal is a list of
// keys, with the last one.
func (e *Engine) unwrap(ctx context.Context, stored []byte, several func(h header, last []byte)) ([]byte, error) {
	h, err := parseHeader(stored)
	if err != nil {
		return nil, err
	}
	if h.Seal != e.opts.Seal.Kind() {
		return nil, fmt.Errorf("%w: it was created with a different kind of seal than the configured one (key or passphrase)",
			vault.ErrSealed)
	}
	keys, err := e.opts.Seal.Keys(ctx, h.Params)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", vault.ErrSealed, err)
	}
	for _, key := range slices.Backward(keys) {
		dek, err := h.unwrap(key.Key)
		switch {
		case err == nil:
			if last := keys[len(keys)-1]; len(keys) > 1 && !key.Whole && several != nil {
				several(h, last.Key)
			}
			return dek, nil
		case !errors.Is(err, errWrongKey):
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: %w", vault.ErrSealed, errWrongKey)
}

// rewrap ends a change of the seal key: the vault is wrapped under the last one, and then the earlier
// ones are forgotten, after this process' own commit alone. Killed in between, the next
// Reseal repeats it.
func (e *Engine) rewrap(ctx context.Context, v *opened) error {
	stored, _, err := e.storedHeader()
	if err != nil {
		return err
	}
	var of header
	var last []byte
	pending := false
	dek, err := e.unwrap(ctx, stored, func(h header, key []byte) { of, last, pending = h, key, true })
	if err != nil || !pending {
		return err
	}
	if len(last) == 0 {
		return fmt.Errorf("%w: the last line is no seal key, or too short a passphrase", vault.ErrInvalid)
	}
	header, err := wrapDEK(of.Seal, of.Params, last, dek)
	if err != nil {
		return err
	}
	err = v.writer.do(ctx, len(header), func(t *txn) error {
		t.dirty = true
		return t.tx.Bucket([]byte(bucketMeta)).Put(keyHeader, header)
	}, nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(stored, header) {
		e.opts.Logger.InfoContext(ctx, "the vault's key is now wrapped under the new seal key; the earlier one is no longer needed, "+
			"but for older copies of the vault's file")
	}
	if err := e.opts.Seal.Settle(last); err != nil {
		return fmt.Errorf("the new seal key is in use, but the former one is still in its file: %w", err)
	}
	return nil
}

// Reseal looks for a new seal key, and wraps the vault's key under it; a sealed vault is opened if its
// key is there now.
func (e *Engine) Reseal(ctx context.Context) error {
	e.mu.RLock()
	v := e.vault
	e.mu.RUnlock()
	if v == nil {
		return e.Unseal(ctx)
	}
	e.unsealing.Lock()
	defer e.unsealing.Unlock()
	return e.rewrap(ctx, v)
}

// ErrOtherCA: ImportCA holds another CA than the existing vault.
var ErrOtherCA = errors.New("PKI_CA_IMPORT_FILE holds another CA than the one that this vault has, which stays: importing is for the " +
	"first start alone. Remove the setting, or name the file of the CA that is in use")

// open verifies every record and starts the engine.
func (e *Engine) open(ctx context.Context, dek []byte) (*opened, error) {
	ring, err := newKeyring(dek)
	if err != nil {
		return nil, err
	}
	v := &opened{opts: e.opts, db: e.db, ring: ring, writer: newWriter(e.db, ring)}
	var cas *authorities
	err = v.view(func(r reader) (err error) {
		cas, err = v.load(ctx, r)
		return err
	})
	if err == nil {
		err = e.accepts(cas)
	} else {
		err = asTampered(err)
	}
	if err != nil {
		v.writer.stop()
		return nil, err
	}
	v.cas.Store(cas)
	return v, nil
}

// load verifies every record, and returns the CAs with their lists.
func (v *opened) load(ctx context.Context, r reader) (*authorities, error) {
	cas, err := r.authorities()
	if err != nil {
		return nil, err
	}
	return v.lists(ctx, r, cas)
}

// lists gives the CAs their lists, from the revocations.
func (v *opened) lists(ctx context.Context, r reader, cas *authorities) (_ *authorities, err error) {
	marks, entries := map[string]crlMark{}, map[string][]byte{}
	for _, a := range cas.all() {
		if marks[a.id], err = r.crlMark(crlKey(a.id, a == cas.first)); err != nil {
			return nil, err
		}
	}
	entries[cas.first.id] = make([]byte, 0, crl.MaxEntry*r.tx.Bucket([]byte(bucketRevoked)).Stats().KeyN)
	err = r.verify(ctx, func(revocation vault.Revocation, serial []byte) {
		ca := cmp.Or(revocation.CA, cas.first.id)
		if mark, ok := marks[ca]; ok && listed(revocation, mark) { // others are of a CA that may be restored later
			entries[ca] = crl.AppendEntry(entries[ca], crl.Entry{Serial: serial, At: revocation.At, Reason: revocation.Reason})
		}
	})
	if err != nil {
		return nil, err
	}
	for _, a := range cas.all() {
		if err := v.equip(a, a == cas.first, entries[a.id]); err != nil {
			return nil, err
		}
	}
	return cas, nil
}

// accepts says what is wrong with the CAs of the vault for these options.
func (e *Engine) accepts(cas *authorities) error {
	if imported := e.opts.ImportCA; !imported.Empty() && !slices.ContainsFunc(cas.all(), func(a *authority) bool {
		return len(a.chain) > 0 && issuance.SameCA([]byte(imported.Reveal()), a.chain[0])
	}) {
		return ErrOtherCA
	}
	if !pki.AllowsMail(cas.active.chain) {
		e.opts.Logger.Warn("the CA's extended key usages (EKU) lack emailProtection: programs refuse its certificates for signed mail")
	}
	return nil
}

// equip gives a CA its certificate signer, and its list with the encoded entries that were loaded.
func (v *opened) equip(a *authority, first bool, loaded []byte) (err error) {
	if len(a.chain) == 0 || a.certificates != nil {
		return nil
	}
	list, caIssuers := vault.Addresses(a.id, first)
	p := issuance.Profile{
		KeyTypes: v.opts.Role.KeyTypes, MaxTTL: v.opts.Role.MaxTTL,
		CA: a.id, CRL: v.opts.PublicBase + list, CAIssuers: v.opts.PublicBase + caIssuers,
	}
	if v.opts.OCSP {
		p.OCSP = []string{v.opts.PublicBase + vault.OCSPPath}
	}
	a.list = newRevokedList(a, first, v.writer, v.opts, loaded)
	a.certificates, err = issuance.NewIssuer(a.chain, a.key, p)
	return err
}

// listed reports whether the CRL still shows a revocation. RFC 5280, section 3.3: an entry stays
// until it was on one list issued after the certificate expired. The last list's mark proves that;
// a week more lets slow clients see it. Dropped entries stay stored. This is decided when the vault
// opens, not while it runs.
func listed(r vault.Revocation, last crlMark) bool {
	return r.NotAfter.IsZero() || !last.made.After(r.NotAfter.Add(expiryGrace))
}

func asTampered(err error) error {
	if errors.Is(err, vault.ErrTampered) || errors.Is(err, vault.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", vault.ErrTampered, err)
}
