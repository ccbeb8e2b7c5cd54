package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/events"
	"github.com/keyward/keyward/internal/httpapi"
)

const (
	// eventPause is how often a stream without news repeats its position: proxies close
	// what is silent for a minute.
	eventPause    = 20 * time.Second
	eventPatience = 3 * eventPause // for a client to read
	eventRetry    = 2 * time.Second
)

// EventsInput holds the place from which a client resumes.
type EventsInput struct {
	LastEventID string `header:"Last-Event-ID" doc:"the id that came last; if more has happened since, the stream begins with missed"`
}

type eventHandlers struct {
	*httpapi.Server
	hub *events.Hub
}

func registerEvents(s *httpapi.Server, hub *events.Hub) {
	h := eventHandlers{s, hub}
	op := httpapi.Operation{ID: "events", Method: http.MethodGet, Path: "/api/events", Tags: []string{"events"},
		Summary: "Follow what changes, for as long as the session lasts",
		Description: "Server-sent events, within two seconds of each change that you may see. The data is {\"kind\", \"id\"}: kind is tokens, " +
			"accounts, certificates, jobs (backups and restores) or notices; id is a serial number or a number. The event missed says " +
			"that there was more than is listed: read again what you show. The event position has the id of what came before. The " +
			"stream ends with the access token, the session, or a change of role or organization. Continue with a new token and " +
			"Last-Event-ID."}
	httpapi.Register(s, op, func(_ context.Context, in *EventsInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			httpapi.WriterFrom(ctx.Context()).Header().Set("Content-Type", "text/event-stream")
			if ctx.Method() != http.MethodHead {
				h.stream(ctx.Context(), in.LastEventID)
			}
		}}, nil
	})
	s.OpenAPI().Paths[op.Path].Get.Responses["200"] = &huma.Response{Description: "The events", Content: map[string]*huma.MediaType{
		"text/event-stream": {Schema: &huma.Schema{Type: "string", Description: "Server-sent events (HTML Standard, section 9.2)"}},
	}}
}

func (h eventHandlers) stream(ctx context.Context, last string) {
	actor := httpapi.ActorFrom(ctx)
	s, err := h.hub.Open(ctx, actor.UserID)
	w := httpapi.WriterFrom(ctx)
	if err != nil {
		w.Header().Del("Content-Type")
		h.Fail(ctx, err)
		return
	}
	defer s.Close()
	w.Header().Set("X-Accel-Buffering", "no") // nginx would collect them
	text := fmt.Appendf(nil, "retry: %d\n", eventRetry.Milliseconds())
	if last != "" && last != s.Position {
		text = append(text, missed...)
	}
	if h.Begin(ctx) != nil || send(w, at(text, s.Position)) != nil {
		return
	}
	position := s.Position
	pause := time.NewTicker(eventPause)
	defer pause.Stop()
	for {
		text = nil
		select {
		case <-ctx.Done():
			return
		case <-h.Draining():
			return
		case <-pause.C:
			if _, err := h.Readmit(ctx); err != nil {
				return
			}
		case b, ok := <-s.C:
			if !ok {
				return
			}
			if text, err = h.admitted(ctx, b); err != nil {
				return
			}
			position = b.Position
			if len(text) == 0 {
				continue // the next pause says how far it is
			}
		}
		if send(w, at(text, position)) != nil {
			return
		}
	}
}

var missed = []byte("event: missed\ndata: {}\n\n")

// admitted writes those events of a batch that the caller may see. Whoever gets one, or
// is the subject of one, is admitted anew for it.
func (h eventHandlers) admitted(ctx context.Context, b events.Batch) (text []byte, err error) {
	actor := httpapi.ActorFrom(ctx)
	concerned := b.Missed
	for _, c := range b.Changes {
		concerned = concerned || c.Affects(actor) || c.Visible(actor)
	}
	if !concerned {
		return nil, nil
	}
	if actor, err = h.Readmit(ctx); err != nil {
		return nil, err
	}
	if b.Missed {
		return missed, nil
	}
	for _, c := range b.Changes {
		if c.Visible(actor) {
			text = appendEvent(text, c.Event)
		}
	}
	return text, nil
}

func appendEvent(text []byte, e events.Event) []byte {
	data, _ := json.Marshal(map[string]string{"kind": string(e.Kind), "id": e.ID}) // of two strings: it can't fail
	return fmt.Appendf(text, "data: %s\n\n", data)
}

// at appends the position after the events, so that it counts only if all of them
// arrived.
func at(text []byte, position string) []byte {
	return fmt.Appendf(text, "event: position\nid: %s\ndata: {}\n\n", position)
}

func send(w http.ResponseWriter, text []byte) error {
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(time.Now().Add(eventPatience)); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return c.Flush()
}
