package licensepolicy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
)

const day = "2006-01-02"

// Upload passes a license file to the license service and records the outcome.
// replaceNewer also permits one issued before the latest ever stored. LicenseRejected
// says why a file is refused, LicenseUnavailable that the service does not answer.
func (s *Service) Upload(ctx context.Context, a access.Actor, file []byte, replaceNewer bool) (Evaluation, error) {
	st, err := s.change(ctx, func(ctx context.Context) (license.Evaluation, error) { return s.Port.Upload(ctx, file, replaceNewer) })
	rejected, isRejected := errors.AsType[*license.Rejected](err)
	switch {
	case isRejected:
		message := rejected.Fault.Detail
		entry := audit.By(a, audit.LicenseRejected, "license", rejected.Reason, message).As(audit.Failure)
		r := Record{Operation: Upload, Outcome: Refused, Message: message, Reason: rejected.Reason}
		return Evaluation{}, errors.Join(err, s.record(ctx, r, entry))
	case err != nil:
		return Evaluation{}, err
	}
	var said []string
	if l := st.License; l != nil {
		said = append(said, fmt.Sprintf("%s, for %s, issued %s, valid until %s", l.LicenseType, l.CustomerName,
			l.IssueDate.UTC().Format(day), l.ExpiryDate.UTC().Format(day)))
	}
	reason := ""
	if replaceNewer {
		reason = ReplaceNewer
		said = append(said, "an older one was allowed to replace a newer one")
	}
	message := strings.Join(said, "; ")
	entry := audit.By(a, audit.LicenseUploaded, "license", st.InstallationID, message)
	r := Record{Operation: Upload, Outcome: Succeeded, Message: message, Reason: reason, Summary: summaryOf(st.License)}
	return st, s.record(ctx, r, entry)
}

// Remove removes the stored license. NotFound without one.
func (s *Service) Remove(ctx context.Context, a access.Actor) (Evaluation, error) {
	before := s.Latest().License
	st, err := s.change(ctx, s.Port.Remove)
	if err != nil {
		return Evaluation{}, err
	}
	entry := audit.By(a, audit.LicenseRemoved, "license", st.InstallationID, "now "+string(st.Status))
	r := Record{Operation: Remove, Outcome: Succeeded, Message: "now " + string(st.Status), Summary: summaryOf(before)}
	return st, s.record(ctx, r, entry)
}

// change has the service change something, and adopts its answer as the new evaluation.
func (s *Service) change(ctx context.Context, do func(context.Context) (license.Evaluation, error)) (Evaluation, error) {
	s.looking.Lock() // a look that began earlier would restore the old evaluation
	defer s.looking.Unlock()
	if err := s.Admitted(ctx); err != nil {
		return Evaluation{}, err
	}
	limited, cancel := context.WithTimeout(ctx, waitChanges)
	defer cancel()
	st, err := do(limited)
	if err == nil {
		err = sensible(st)
	}
	if err != nil {
		return Evaluation{}, reachable(err)
	}
	return s.reached(access.OnRecord(context.WithoutCancel(ctx)), st)
}

// reachable turns the error of an unreachable service into a fault.
func reachable(err error) error {
	if errors.Is(err, license.ErrNone) {
		return fault.New(fault.NotFound, "no_license_here", "There is no license to remove.")
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	return fault.New(fault.LicenseUnavailable, "",
		"The license service is not responding. Try again shortly. If it continues, ask an administrator to check the server's log.").With(err)
}

// record writes what has happened, even if its actor has lost access or hung up.
func (s *Service) record(ctx context.Context, r Record, entry audit.Entry) error {
	r.At, r.Actor = s.Now(), entry.Actor
	return s.Store.RecordLicense(access.OnRecord(context.WithoutCancel(ctx)), r, entry)
}

// InstallationID returns what a license is issued for. LicenseUnavailable when it is unknown.
func (s *Service) InstallationID(ctx context.Context) (string, error) {
	if known := s.Latest().InstallationID; known != "" {
		return known, nil
	}
	limited, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	id, err := s.Port.InstallationID(limited)
	if err != nil {
		return "", reachable(err)
	}
	return id, nil
}
