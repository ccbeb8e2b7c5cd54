package intentlog

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// ReleaseDatabase is what a verification reads from.
type ReleaseDatabase interface {
	AuditRows
	// ReleasesAfter returns the ids of at most limit release entries, above after and ascending.
	ReleasesAfter(ctx context.Context, after int64, limit int) ([]int64, error)
	// RegisteredKeys returns the fingerprints of the agent keys registered with a
	// session, according to the audit log.
	RegisteredKeys(ctx context.Context, session int64) ([]string, error)
}

// ReleaseReport is the result of a verification.
type ReleaseReport struct {
	Tokens   int   // with logged releases
	Releases int64 // logged
	Lost     int64 // of these: entries missing from an older database that was accepted
	// Unknown counts the releases only in the database: interrupted before they left, or
	// from a restore. Newest are the latest of them.
	Unknown int64
	Newest  []int64
}

// showUnknown limits Report.Newest.
const showUnknown = 10

// BadReleases is where the audit log differs from what the vault logged.
type BadReleases struct {
	Tokens []ReleaseStatus // sorted by serial
	// Foreign are releases to an agent key that was never registered.
	Foreign []ForeignRelease
}

// ForeignRelease is a release sealed to a key that, by the audit log, was not registered
// with its session.
type ForeignRelease struct {
	Serial string
	Entry  int64
}

const showBad = 20

// Error names at most showBad of them.
func (b *BadReleases) Error() string {
	var said []string
	for _, s := range b.Tokens {
		said = append(said, s.String())
	}
	for _, f := range b.Foreign {
		said = append(said, fmt.Sprintf(
			"token %s: entry %d is a release to an agent key that no entry says was registered with its session", f.Serial, f.Entry))
	}
	if n := len(said) - showBad; n > 0 {
		said = append(said[:showBad], fmt.Sprintf("and %d more", n))
	}
	return "the vault's record of released secrets and the audit log disagree: " + strings.Join(said, "; ")
}

// atOnce is how many tokens are read concurrently.
const tokensAtOnce = 8

// VerifyReleases compares the logs of all tokens with the database. It returns *BadReleases when
// something is missing or changed; any other error means that something could not be read.
func VerifyReleases(ctx context.Context, kv vault.KV, db ReleaseDatabase) (ReleaseReport, error) {
	v := releaseVerifier{kv: kv, db: db, known: map[int64]bool{}}
	err := eachToken(ctx, kv, v.token)
	if err != nil {
		return v.report, err
	}
	if err := v.unknown(ctx); err != nil {
		return v.report, err
	}
	if len(v.bad.Tokens)+len(v.bad.Foreign) > 0 {
		slices.SortFunc(v.bad.Tokens, func(a, b ReleaseStatus) int { return strings.Compare(a.Serial, b.Serial) })
		slices.SortFunc(v.bad.Foreign, func(a, b ForeignRelease) int { return int(a.Entry - b.Entry) })
		return v.report, &v.bad
	}
	return v.report, nil
}

// eachToken calls do for every token with documents in the vault, several at once.
func eachToken(ctx context.Context, kv vault.KV, do func(ctx context.Context, serial string) error) error {
	names, err := kv.List(ctx, "")
	if err != nil {
		return vault.Fault(err)
	}
	var serials []string
	for _, name := range names {
		if serial, folder := strings.CutSuffix(name, "/"); folder && !strings.Contains(serial, "_") { // Keyward's own folders have one
			serials = append(serials, serial)
		}
	}
	return eachSerial(ctx, serials, do)
}

func eachSerial(ctx context.Context, serials []string, do func(ctx context.Context, serial string) error) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(tokensAtOnce)
	for _, serial := range serials {
		group.Go(func() error { return do(groupCtx, serial) })
	}
	return group.Wait()
}

type releaseVerifier struct {
	kv vault.KV
	db ReleaseDatabase

	mu     sync.Mutex
	report ReleaseReport
	bad    BadReleases
	known  map[int64]bool // ids of logged entries
}

func (v *releaseVerifier) token(ctx context.Context, serial string) error {
	var rows []chain.Row
	s, err := checker{v.kv, v.db, math.MaxInt, func(r *chain.Row) { rows = append(rows, *r) }}.check(ctx, serial)
	if err != nil {
		return err
	}
	foreign, err := v.foreign(ctx, serial, rows)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.Count > 0 || s.Problem != "" {
		v.report.Tokens++
	}
	v.report.Releases += s.Count
	v.report.Lost += s.Lost
	if !s.Sound() {
		v.bad.Tokens = append(v.bad.Tokens, s)
	}
	v.bad.Foreign = append(v.bad.Foreign, foreign...)
	for _, r := range rows {
		v.known[r.ID] = true
	}
	for _, id := range slices.Concat(s.Missing, s.Changed) {
		v.known[id] = true
	}
	return nil
}

// foreign returns the releases to keys that were never registered.
func (v *releaseVerifier) foreign(ctx context.Context, serial string, rows []chain.Row) ([]ForeignRelease, error) {
	var out []ForeignRelease
	registered := map[int64][]string{}
	for _, r := range rows {
		session, fingerprint, ok := sealedTo(r.Details)
		if _, asked := registered[session]; ok && !asked {
			keys, err := v.db.RegisteredKeys(ctx, session)
			if err != nil {
				return nil, err
			}
			registered[session] = keys
		}
		if !ok || !slices.Contains(registered[session], fingerprint) {
			out = append(out, ForeignRelease{serial, r.ID})
		}
	}
	return out, nil
}

// sealedTo reads from the details of an entry to whom a release was sealed; see
// Release.AuditEntry.
func sealedTo(details string) (session int64, fingerprint string, ok bool) {
	_, rest, ok := strings.Cut(details, "; session ")
	number, fingerprint, ok2 := strings.Cut(rest, "; agent key ")
	fingerprint, _, _ = strings.Cut(fingerprint, ";")
	session, err := strconv.ParseInt(number, 10, 64)
	return session, fingerprint, ok && ok2 && err == nil
}

const releasesPage = 5000

// unknown counts the releases only in the database.
func (v *releaseVerifier) unknown(ctx context.Context) error {
	for after := int64(0); ; {
		ids, err := v.db.ReleasesAfter(ctx, after, releasesPage)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if v.known[id] {
				continue
			}
			v.report.Unknown++
			v.report.Newest = append(v.report.Newest, id)
			if len(v.report.Newest) > showUnknown {
				v.report.Newest = v.report.Newest[1:]
			}
		}
		if len(ids) < releasesPage {
			return nil
		}
		after = ids[len(ids)-1]
	}
}
