package license

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// record is the vault document with everything but the installation ID, so that each
// change is one write.
type record struct {
	TrialStartedAt time.Time `json:"trial_started_at"`
	LastSeen       time.Time `json:"last_seen"`
	NewestIssue    time.Time `json:"newest_issue,omitzero"` // of all licenses ever stored
	File           string    `json:"file,omitempty"`        // the stored license with its signature, canonical JSON
	History        []Event   `json:"history"`               // newest first
}

// facts converts a record. A stored file that cannot be read is not authentic.
func (s *Service) facts(r record, installationID string) Facts {
	f := Facts{InstallationID: installationID, TrialStartedAt: r.TrialStartedAt, NewestIssue: r.NewestIssue, LastSeen: r.LastSeen}
	f.NoKeys = len(s.Keys) == 0
	if r.File == "" {
		return f
	}
	file, err := Parse([]byte(r.File))
	f.License = &file.License
	if err == nil {
		_, err = s.Keys.Verify(file)
	}
	f.Authentic = err == nil && file.License.InstallationID == installationID
	return f
}

// tell adds an event to the history. When full, it drops the oldest refused upload, if
// any, because those could go on forever, or else the oldest event.
func (r *record) tell(e Event) {
	r.History = slices.Insert(r.History, 0, e)
	if len(r.History) <= MaxHistory {
		return
	}
	last := len(r.History) - 1
	for i := last; i > 0; i-- {
		if r.History[i].Outcome == OutcomeRejected {
			last = i
			break
		}
	}
	r.History = slices.Delete(r.History, last, last+1)
}

// load reads the record. At the first start it creates one, which begins the trial.
func (s *Service) load(ctx context.Context) (r record, version int, err error) {
	for tried := false; ; tried = true {
		v, err := s.Vault.Get(ctx, recordPath)
		switch {
		case err == nil:
			if err := v.Data.Decode(&r); err != nil {
				return record{}, 0, errors.New("the license's record in the vault (" + recordPath + ") is malformed: restore an earlier version of it")
			}
			return r, v.Number, nil
		case !errors.Is(err, vault.ErrNotFound):
			return record{}, 0, vault.Fault(err)
		case tried:
			return record{}, 0, deleted(recordPath)
		}
		now := s.Now().UTC()
		first := record{TrialStartedAt: now, LastSeen: now}
		first.tell(Event{At: now, Operation: OperationTrial, Outcome: OutcomeSuccess, Message: "The 30-day trial started."})
		version, err := s.put(ctx, first, 0)
		if err == nil {
			s.Log.Info("the trial begins", "days", int(TrialPeriod/(24*time.Hour)))
			return first, version, nil
		}
		if !errors.Is(err, vault.ErrCAS) {
			return record{}, 0, vault.Fault(err)
		}
	}
}

func (s *Service) put(ctx context.Context, r record, version int) (int, error) {
	data, err := vault.Encode(r)
	if err != nil {
		return 0, err
	}
	return s.Vault.Put(ctx, recordPath, data, version)
}

// tries is how often a change is retried after a concurrent one.
const tries = 16

// change applies do to the record and writes it, unless do returns an error.
func (s *Service) change(ctx context.Context, do func(*record) error) (record, error) {
	for range tries {
		r, version, err := s.load(ctx)
		if err != nil {
			return r, err
		}
		r.LastSeen = s.Present.At(r.LastSeen, s.Now().UTC())
		if err := do(&r); err != nil {
			return r, err
		}
		if _, err = s.put(ctx, r, version); !errors.Is(err, vault.ErrCAS) {
			return r, vault.Fault(err)
		}
	}
	return record{}, Busy()
}

// Busy returns the error of a change that always met a concurrent one.
func Busy() error {
	return fault.New(fault.Conflict, "license_busy", "Someone else is changing the license. Try again in a moment.")
}
