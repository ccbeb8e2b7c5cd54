package reminder

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/settings"
)

// MorningEvery is how often to check whether it is morning.
const MorningEvery = 10 * time.Minute

// morning is the hour at which summaries are sent.
const morning = 7

// named is how many tokens a summary names.
const named = 20

const (
	managersRow = "told_certificates"
	digestRow   = "told_digest"
)

// latest returns the most recent morning, or Monday morning if weekly.
func (s *Service) latest(now time.Time, weekly bool) time.Time {
	local := now.In(s.Zone)
	at := time.Date(local.Year(), local.Month(), local.Day(), morning, 0, 0, 0, s.Zone)
	for at.After(now) || weekly && at.Weekday() != time.Monday {
		at = at.AddDate(0, 0, -1)
	}
	return at
}

// due returns a summary's mark, when it was last made, and whether it is due now.
func (s *Service) due(ctx context.Context, row string, weekly bool) (was settings.Value, last time.Time, due bool, err error) {
	was, err = s.Store.Setting(ctx, row)
	if fault.Is(err, fault.NotFound) {
		return settings.Value{}, time.Time{}, true, nil
	}
	if err != nil {
		return was, last, false, err
	}
	if err = json.Unmarshal([]byte(was.Text), &last); err != nil {
		return was, last, false, fmt.Errorf("reminder: %s: %w", row, err)
	}
	return was, last, last.Before(s.latest(s.Now(), weekly)), nil
}

// done writes the mark, with the messages.
func (s *Service) done(ctx context.Context, row string, was settings.Value, now time.Time, messages []notify.Message) error {
	text, err := json.Marshal(now.UTC())
	if err == nil {
		_, err = s.Store.Notify(ctx, row, was, settings.Value{Text: string(text), UpdatedAt: now.UTC()}, messages...)
	}
	return err
}

// Managers notifies an organization's managers, each morning, of certificates that reached
// a milestone since the last time; at first, within a day.
func (s *Service) Managers(ctx context.Context) error {
	was, last, due, err := s.due(ctx, managersRow, false)
	if err != nil || !due {
		return err
	}
	now := s.Now()
	if last.IsZero() {
		last = now.AddDate(0, 0, -1)
	}
	list, err := s.Store.Endings(ctx, last, now)
	if err != nil {
		return err
	}
	var messages []notify.Message
	for begin := 0; begin < len(list); {
		end := begin + 1
		for end < len(list) && access.SameID(list[end].OrganizationID, list[begin].OrganizationID) {
			end++
		}
		messages = append(messages, summary(list[begin:end], now))
		begin = end
	}
	return s.done(ctx, managersRow, was, now, messages)
}

// summary is for one organization.
func summary(list []Ending, now time.Time) notify.Message {
	counts, tokens := map[int]int{}, []string(nil)
	for _, e := range list {
		counts[e.Milestone]++
		if len(tokens) < named {
			token := e.HWKeySerial
			if e.Label != "" {
				token += " (" + e.Label + ")"
			}
			tokens = append(tokens, token)
		}
	}
	params := notify.Params{"organization": list[0].Organization, "tokens": strings.Join(tokens, "\n")}
	for days, n := range counts {
		params["n"+strconv.Itoa(days)] = strconv.Itoa(n)
	}
	if more := len(list) - len(tokens); more > 0 {
		params["more"] = strconv.Itoa(more)
	}
	return notify.Message{
		To:   notify.Audience{OrganizationID: list[0].OrganizationID, Managers: true},
		Kind: notify.CertificatesExpireSummary, Params: params, At: now,
	}
}

// Doing counts what needs attention.
type Doing struct {
	Organization string // its name
	Ending       int64  // certificates that end within 30 days
	Ended        int64  // tokens with a certificate that ended within Missed
	Unset        int64  // assigned tokens that are not set up
	Lost         int64
	Rotations    int64 // open ones
	Locked       int64 // accounts
	Unreached    int64 // people to whom mail fails
}

func (d Doing) params(trouble string) (notify.Params, bool) {
	p := notify.Params{}
	for name, n := range map[string]int64{
		"ending": d.Ending, "ended": d.Ended, "unset": d.Unset, "lost": d.Lost, "rotations": d.Rotations, "locked": d.Locked,
		"unreached": d.Unreached,
	} {
		if n > 0 {
			p[name] = strconv.FormatInt(n, 10)
		}
	}
	if trouble != "" {
		p["backup"] = trouble
	}
	some := len(p) > 0
	if d.Organization != "" {
		p["organization"] = d.Organization
	}
	return p, some
}

// Digest tells administrators, unless turned off, each Monday morning what needs attention, if
// anything does. It starts on the Monday after an installation's first check.
func (s *Service) Digest(ctx context.Context) error {
	was, _, due, err := s.due(ctx, digestRow, true)
	if err != nil || !due {
		return err
	}
	now := s.Now()
	if was.Text == "" {
		return s.done(ctx, digestRow, was, now, nil)
	}
	organizations, admins, err := s.Store.DigestReaders(ctx)
	if err != nil {
		return err
	}
	var messages []notify.Message
	add := func(id *int64, trouble string) error {
		doing, err := s.Store.Doing(ctx, id, now)
		if err != nil {
			return err
		}
		if params, some := doing.params(trouble); some {
			messages = append(messages, notify.Message{
				To: notify.Audience{OrganizationID: id, Managers: id != nil}, Kind: notify.Digest, Params: params, At: now})
		}
		return nil
	}
	for _, id := range organizations {
		if err := add(&id, ""); err != nil {
			return err
		}
	}
	if admins {
		trouble, err := s.trouble(ctx)
		if err == nil {
			err = add(nil, trouble)
		}
		if err != nil {
			return err
		}
	}
	return s.done(ctx, digestRow, was, now, messages)
}

// trouble returns what is wrong with backups, in a word; empty when all is well.
func (s *Service) trouble(ctx context.Context) (string, error) {
	st, err := s.Backups(ctx)
	switch {
	case err != nil:
		return "", err
	case st.Failed != nil:
		return "failed", nil
	case !st.Overdue.IsZero():
		return "overdue", nil
	case st.DrillFailed != nil:
		return "disproven", nil
	case !st.DrillOverdue.IsZero():
		return "unproven", nil
	default:
		return "", nil
	}
}
