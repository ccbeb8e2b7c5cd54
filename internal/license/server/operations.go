package server

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	wire "github.com/keyward/keyward/api/license"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
)

func (s *server) installationID(ctx context.Context, _ *struct{}) (wire.Installation, error) {
	id, err := s.License.InstallationID(ctx)
	return wire.Installation{InstallationID: id}, err
}

func (s *server) status(ctx context.Context, _ *struct{}) (wire.Standing, error) {
	is, err := s.License.Status(ctx)
	return standing(is), err
}

// uploading is a license file as received: the signature covers these very bytes, and
// the domain says what is wrong with them.
type uploading struct {
	ReplaceNewer bool   `query:"replace_newer" doc:"Store it also when a license that was issued later was stored here before"`
	RawBody      []byte `contentType:"application/json"`
}

// uploaded describes the body.
func uploaded(schemas huma.Registry) *huma.RequestBody {
	return &huma.RequestBody{
		Required: true,
		Content:  map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeFor[file](), true, "")}},
	}
}

// file describes an upload.
type file struct {
	License   wire.License `json:"license" doc:"What is signed: its canonical JSON (RFC 8785)"`
	Signature string       `json:"signature" doc:"Ed25519, in base64"`
}

func (s *server) upload(ctx context.Context, in *uploading) (wire.Standing, error) {
	is, err := s.License.Upload(ctx, in.RawBody, in.ReplaceNewer)
	return standing(is), err
}

func (s *server) remove(ctx context.Context, _ *struct{}) (wire.Standing, error) {
	is, err := s.License.Remove(ctx)
	if errors.Is(err, license.ErrNone) {
		err = fault.New(fault.NotFound, "no_license", "No license is stored.")
	}
	return standing(is), err
}

func (s *server) history(ctx context.Context, _ *struct{}) (wire.History, error) {
	events, err := s.License.History(ctx)
	out := wire.History{Events: make([]wire.Event, len(events))}
	for i, e := range events {
		out.Events[i] = wire.Event{At: e.At, Operation: e.Operation, Outcome: e.Outcome, Message: e.Message, Summary: summary(e.Summary)}
	}
	return out, err
}

func standing(s license.Evaluation) wire.Standing {
	return wire.Standing{
		Status: string(s.Status), License: summary(s.License), DaysRemaining: s.DaysRemaining, InstallationID: s.InstallationID,
		TrialStartedAt: moment(s.TrialStartedAt), NewestIssue: moment(s.NewestIssue), EvaluatedAt: s.At, ClockBehind: s.ClockBehind,
		NoKeys: s.NoKeys,
	}
}

func summary(l *license.License) *wire.License {
	if l == nil {
		return nil
	}
	w := wire.License(*l)
	return &w
}

// moment returns nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
