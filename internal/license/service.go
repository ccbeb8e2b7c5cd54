package license

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// Documents is the part of the vault that Service needs.
type Documents interface {
	Get(ctx context.Context, path string) (vault.Version, error)
	Put(ctx context.Context, path string, data vault.Data, cas int) (int, error)
}

// CheckJSON returns Invalid for text that is not JSON: no license file at all, so not recorded.
func CheckJSON(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	return fault.Invalid(fault.Wrong("body", "not_json", "is not valid JSON"))
}

// noteEvery is the minimum interval between writes of the latest time seen.
const noteEvery = time.Hour

// Service keeps the license in the vault. It has no state but how long the clock has
// been wrong: any number of them may share a vault.
type Service struct {
	Vault Documents
	Keys  Keys
	Log   *slog.Logger
	Now   func() time.Time

	Present Present // corrects Now
}

var _ Port = (*Service)(nil)

// Status implements Port.
func (s *Service) Status(ctx context.Context) (Evaluation, error) {
	id, err := s.InstallationID(ctx)
	if err != nil {
		return Evaluation{}, err
	}
	r, version, err := s.load(ctx)
	if err != nil {
		return Evaluation{}, err
	}
	now, noted := s.Now().UTC(), r.LastSeen
	r.LastSeen = s.Present.At(noted, now)
	standing := Evaluate(s.facts(r, id), now)
	if r.LastSeen.Sub(noted) >= noteEvery {
		if _, err := s.put(ctx, r, version); err != nil && !errors.Is(err, vault.ErrCAS) { // another process's note is as good
			s.Log.Warn("could not record the time for the license; the next request will", "error", err)
		}
	}
	return standing, nil
}

// Upload implements Port.
func (s *Service) Upload(ctx context.Context, text []byte, replaceNewer bool) (Evaluation, error) {
	id, err := s.InstallationID(ctx)
	if err != nil {
		return Evaluation{}, err
	}
	if err := CheckJSON(text); err != nil {
		return Evaluation{}, err
	}
	file, err := Parse(text)
	if err != nil {
		return Evaluation{}, s.reject(ctx, nil, err)
	}
	var next Facts
	_, err = s.change(ctx, func(r *record) error {
		before, now := s.facts(*r, id), s.Now().UTC()
		after, err := Admit(file, s.Keys, before, now, replaceNewer)
		if err != nil {
			return err
		}
		next = after
		r.File, r.NewestIssue = string(file.Text()), after.NewestIssue
		r.TrialStartedAt, r.LastSeen = after.TrialStartedAt, after.LastSeen
		message := "Stored."
		if file.License.IssueDate.Before(before.NewestIssue) {
			message = fmt.Sprintf("Stored on purpose, although a license issued later was stored here before: %s.",
				written(before.NewestIssue))
		}
		r.tell(Event{At: now, Operation: OperationUpload, Outcome: OutcomeSuccess, Message: message, Summary: &file.License})
		return nil
	})
	if _, ok := errors.AsType[*Rejected](err); ok {
		return Evaluation{}, s.reject(ctx, &file.License, err)
	}
	if err != nil {
		return Evaluation{}, err
	}
	return Evaluate(next, s.Now().UTC()), nil
}

// reject records a refused upload, and returns the reason.
func (s *Service) reject(ctx context.Context, l *License, why error) error {
	rejected, ok := errors.AsType[*Rejected](why)
	if !ok {
		return why
	}
	_, err := s.change(ctx, func(r *record) error {
		r.tell(Event{At: s.Now().UTC(), Operation: OperationUpload, Outcome: OutcomeRejected, Message: rejected.Fault.Detail, Summary: l})
		return nil
	})
	if err != nil {
		s.Log.Warn("a license was rejected, and the history does not show it", "reason", rejected.Reason, "error", err)
	}
	return why
}

// Remove implements Port.
func (s *Service) Remove(ctx context.Context) (Evaluation, error) {
	id, err := s.InstallationID(ctx)
	if err != nil {
		return Evaluation{}, err
	}
	r, err := s.change(ctx, func(r *record) error {
		if r.File == "" {
			return ErrNone
		}
		removed := Event{At: s.Now().UTC(), Operation: OperationRemove, Outcome: OutcomeSuccess, Message: "Removed."}
		if file, err := Parse([]byte(r.File)); err == nil {
			removed.Summary = &file.License
		}
		r.File = ""
		r.tell(removed)
		return nil
	})
	if err != nil {
		return Evaluation{}, err
	}
	return Evaluate(s.facts(r, id), s.Now().UTC()), nil
}

// History implements Port.
func (s *Service) History(ctx context.Context) ([]Event, error) {
	r, _, err := s.load(ctx)
	return r.History, err
}
