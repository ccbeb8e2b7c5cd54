package chain_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// vectors is testdata/vectors.json, made by vectors.py.
type vectors struct {
	PrivateKey string `json:"private_key"`
	PublicKey  string `json:"public_key"`
	Entries    []struct {
		Entry   entryVector `json:"entry"`
		Encoded string      `json:"encoded"`
		Leaf    string      `json:"leaf"`
	} `json:"entries"`
	Batches []batchVector `json:"batches"`
	Head    chain.Head    `json:"head"`
}

type entryVector struct {
	ID             int64
	At             int64
	Action         audit.Action
	Outcome        audit.Outcome
	ActorID        *int64 `json:"actor_id"`
	Actor          string
	OrganizationID *int64 `json:"organization_id"`
	TargetType     string `json:"target_type"`
	TargetID       string `json:"target_id"`
	Hostname       string
	IPAddress      string `json:"ip_address"`
	RequestID      string `json:"request_id"`
	Reason         string
	Details        string
	FileName       string `json:"file_name"`
	BackupType     string `json:"backup_type"`
	DurationMS     *int64 `json:"duration_ms"`
	SizeBytes      *int64 `json:"size_bytes"`
}

func (v entryVector) entry() audit.Entry {
	return audit.Entry{
		ID: v.ID, At: time.UnixMicro(v.At).UTC(), Action: v.Action, Outcome: v.Outcome, ActorID: v.ActorID, Actor: v.Actor,
		OrganizationID: v.OrganizationID, TargetType: v.TargetType, TargetID: v.TargetID, Hostname: v.Hostname, IPAddress: v.IPAddress,
		RequestID: v.RequestID, Reason: v.Reason, Details: v.Details, FileName: v.FileName, BackupType: v.BackupType,
		DurationMS: v.DurationMS, SizeBytes: v.SizeBytes,
	}
}

type batchVector struct {
	ID, Segment        int64
	FirstID            int64  `json:"first_id"`
	LastID             int64  `json:"last_id"`
	Count              int64  `json:"entry_count"`
	Previous           string `json:"previous_hash"`
	Hash, Link, Leaves string
	SealedAt           int64  `json:"sealed_at"`
	KeyID              string `json:"key_id"`
	Signature          string
}

func (v batchVector) batch() chain.Batch {
	return chain.Batch{
		ID: v.ID, Segment: v.Segment, FirstID: v.FirstID, LastID: v.LastID, Count: v.Count, Previous: v.Previous, Hash: v.Hash,
		Link: v.Link, Leaves: v.Leaves, SealedAt: time.UnixMicro(v.SealedAt).UTC(), KeyID: v.KeyID, Signature: v.Signature,
	}
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// python runs a script with Debian's Python, for which package python3-cryptography
// is installed, whatever comes first in PATH.
func python(t *testing.T, args ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", append([]string{"-B"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr.String())
	}
	return string(out), nil
}

// TestVectorsAreOfTheOtherProgram: the committed file is the script's output.
func TestVectorsAreOfTheOtherProgram(t *testing.T) {
	t.Parallel()
	made, err := python(t, "testdata/vectors.py")
	if err != nil {
		t.Fatalf("scripts/install-deps test installs what is needed: %v", err)
	}
	committed, err := os.ReadFile("testdata/vectors.json")
	if err != nil || made != string(committed) {
		t.Errorf("testdata/vectors.json is not what vectors.py writes (%v)", err)
	}
}

// TestVectorsOfEntries compares the encoding with the published bytes: an old chain
// must stay verifiable.
func TestVectorsOfEntries(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Entries {
		e := v.Entry.entry()
		encoded := chain.AppendEntry(nil, &e)
		leaf := sha256.Sum256(encoded)
		if hex.EncodeToString(encoded) != v.Encoded || hex.EncodeToString(leaf[:]) != v.Leaf {
			t.Errorf("entry %d is %x, want %s", e.ID, encoded, v.Encoded)
		}
	}
}

// TestVectorsOfTheChain: a sealer over a real database produces the published
// batches and head, byte for byte.
func TestVectorsOfTheChain(t *testing.T) {
	t.Parallel()
	w, v := setup(t), readVectors(t)
	seed := must.Get(hex.DecodeString(v.PrivateKey))(t)
	key := vault.Data(`{"private_key":"` + base64.StdEncoding.EncodeToString(seed) + `"}`)
	must.Get(w.vault.Put(t.Context(), "audit_seal/key", key, 0))(t)
	for i, want := range v.Batches {
		for _, e := range v.Entries {
			if want.Link == "" && e.Entry.ID >= want.FirstID && e.Entry.ID <= want.LastID {
				must.OK(t, w.db.AppendAudit(t.Context(), e.Entry.entry()))
			}
		}
		w.now = time.UnixMicro(want.SealedAt)
		if want.Link == "" {
			w.seal()
		} else if err := w.sealer.BeginSegment(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := w.db.LastAuditBatch(t.Context())
		if d := cmp.Diff(want.batch(), got); err != nil || d != "" {
			t.Errorf("batch %d: %v %s", i+1, err, d)
		}
	}
	anchor, err := chain.VaultAnchor(t.Context(), w.vault)
	if d := cmp.Diff(&v.Head, anchor.Head); err != nil || d != "" {
		t.Errorf("head: %v %s", err, d)
	}
	if hex.EncodeToString(anchor.Keys[0]) != v.PublicKey {
		t.Errorf("public key %x", anchor.Keys[0])
	}
	w.good()
}

// otherVerifier runs the Python program on the database, with a copy of the seal.
func (w *world) otherVerifier(t *testing.T, seal string) error {
	t.Helper()
	_, err := python(t, "testdata/verify.py", w.path, seal)
	return err
}

// writeSeal writes the current answer of GET /api/admin/audit/seal.
func (w *world) writeSeal(t *testing.T) string {
	t.Helper()
	st := must.Get(w.sealer.Status(context.Background()))(t)
	raw := must.Get(json.Marshal(struct {
		chain.Head

		PublicKey string `json:"public_key"`
	}{st.Head, st.PublicKey}))(t)
	file := filepath.Join(t.TempDir(), "seal.json")
	must.OK(t, os.WriteFile(file, raw, 0o600))
	return file
}

// TestAnotherVerifierAgrees: a program in another language, written from the
// documentation, accepts what a sealer wrote and rejects changes.
func TestAnotherVerifierAgrees(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(1, 1000, 3)
	early := w.writeSeal(t)
	must.OK(t, w.sealer.BeginSegment(t.Context()))
	w.sealed(7)
	w.append(2)
	seal := w.writeSeal(t)
	for _, s := range []string{seal, early} {
		if err := w.otherVerifier(t, s); err != nil {
			t.Fatalf("a sound log is refused: %v", err)
		}
	}
	w.good()
	for _, table := range []string{"entries", "batches"} {
		w.tamper("CREATE TABLE kept_" + table + " AS SELECT * FROM audit_" + table)
	}
	for _, change := range []string{
		"UPDATE audit_entries SET reason = reason || 'x' WHERE id = 2", "UPDATE audit_entries SET actor_id = NULL WHERE id = 1003",
		"UPDATE audit_entries SET details = CAST(details AS BLOB) WHERE id = 3", "DELETE FROM audit_entries WHERE id = 1004",
		"UPDATE audit_entries SET id = -1 WHERE id = 1", "UPDATE audit_batches SET sealed_at = sealed_at + 1 WHERE id = 2",
		"DELETE FROM audit_batches WHERE id = 5", "DELETE FROM audit_batches WHERE id = 4",
	} {
		w.tamper(change)
		if err := w.otherVerifier(t, seal); err == nil {
			t.Errorf("not noticed: %s", change)
		}
		w.bad()
		for _, table := range []string{"entries", "batches"} {
			w.tamper("DELETE FROM audit_" + table)
			w.tamper("INSERT INTO audit_" + table + " SELECT * FROM kept_" + table)
		}
	}
	if err := w.otherVerifier(t, seal); err != nil {
		t.Errorf("what was put back is refused: %v", err)
	}
}
