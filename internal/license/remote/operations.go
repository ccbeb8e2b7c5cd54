package remote

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	wire "github.com/keyward/keyward/api/license"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
)

// InstallationID implements license.Port.
func (c *Client) InstallationID(ctx context.Context) (string, error) {
	var is installation
	err := call(ctx, c, askTimeout, http.MethodGet, "/license/installation-id", nil, &is)
	return is.InstallationID, err
}

// Status implements license.Port.
func (c *Client) Status(ctx context.Context) (license.Evaluation, error) {
	var is standing
	err := call(ctx, c, askTimeout, http.MethodGet, "/license/status", nil, &is)
	return is.Evaluation, err
}

// Upload implements license.Port.
func (c *Client) Upload(ctx context.Context, file []byte, replaceNewer bool) (license.Evaluation, error) {
	path := "/license/upload"
	if replaceNewer {
		path += "?replace_newer=true"
	}
	if err := license.CheckJSON(file); err != nil {
		return license.Evaluation{}, err
	}
	if len(file) > license.MaxFile { // the service refuses such a body unread
		_, err := license.Parse(file)
		return license.Evaluation{}, err
	}
	var is standing
	err := call(ctx, c, changeTimeout, http.MethodPost, path, file, &is)
	return is.Evaluation, err
}

// Remove implements license.Port.
func (c *Client) Remove(ctx context.Context) (license.Evaluation, error) {
	var is standing
	err := call(ctx, c, changeTimeout, http.MethodDelete, "/license", nil, &is)
	return is.Evaluation, err
}

// History implements license.Port.
func (c *Client) History(ctx context.Context) ([]license.Event, error) {
	var is history
	err := call(ctx, c, askTimeout, http.MethodGet, "/license/history", nil, &is)
	return is.events, err
}

// refusal decodes the service's refusal. err means that the reply is not that of a
// license service.
func refusal(r reply) (no, err error) {
	var problem struct {
		Code   fault.Code    `json:"code"`
		Params fault.Params  `json:"params"`
		Errors []fault.Field `json:"errors"`
	}
	if err := json.Unmarshal(r.body, &problem); err != nil {
		return nil, errNonsense
	}
	reason, _ := problem.Params["reason"].(string)
	rejected, known := license.RejectedBy(reason, problem.Params, problem.Errors)
	switch {
	case problem.Code == fault.LicenseRejected && known:
		return rejected, nil
	case problem.Code == fault.NotFound && reason == "no_license":
		return license.ErrNone, nil
	case problem.Code == fault.Conflict:
		return license.Busy(), nil
	}
	return nil, errNonsense
}

// These types decode the bodies, and refuse what no license service would send.
type (
	installation struct{ wire.Installation }
	standing     struct{ license.Evaluation }
	history      struct{ events []license.Event }
)

var errNonsense = errors.New("its answer is none of a license service")

func (i *installation) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &i.Installation); err != nil || i.InstallationID == "" {
		return errors.Join(errNonsense, err)
	}
	return nil
}

func (s *standing) UnmarshalJSON(text []byte) error {
	var w wire.Standing
	err := json.Unmarshal(text, &w)
	status := license.Status(w.Status)
	if err != nil || !slices.Contains(license.Statuses(), status) || w.DaysRemaining < 0 || w.InstallationID == "" || w.EvaluatedAt.IsZero() {
		return errors.Join(errNonsense, err)
	}
	s.Evaluation = license.Evaluation{
		Status: status, License: summary(w.License), DaysRemaining: w.DaysRemaining, InstallationID: w.InstallationID,
		TrialStartedAt: moment(w.TrialStartedAt), NewestIssue: moment(w.NewestIssue), At: w.EvaluatedAt, ClockBehind: w.ClockBehind,
		NoKeys: w.NoKeys,
	}
	return nil
}

func (h *history) UnmarshalJSON(text []byte) error {
	var w wire.History
	if err := json.Unmarshal(text, &w); err != nil || w.Events == nil || len(w.Events) > license.MaxHistory {
		return errors.Join(errNonsense, err)
	}
	h.events = make([]license.Event, len(w.Events))
	for i, e := range w.Events {
		h.events[i] = license.Event{At: e.At, Operation: e.Operation, Outcome: e.Outcome, Message: e.Message, Summary: summary(e.Summary)}
	}
	return nil
}

func summary(w *wire.License) *license.License {
	if w == nil {
		return nil
	}
	l := license.License(*w)
	return &l
}

func moment(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
