package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/pcsc"
)

// eventHeartbeat is the interval of the comments that keep an idle stream alive
// and detect a client that has gone.
const eventHeartbeat = 15 * time.Second

// eventWrite bounds one write to a stream.
const eventWrite = 5 * time.Second

type eventStream struct {
	heartbeat time.Duration
	closing   chan struct{}
}

func newEventStream(heartbeat time.Duration) *eventStream {
	if heartbeat <= 0 {
		heartbeat = eventHeartbeat
	}
	return &eventStream{heartbeat, make(chan struct{})}
}

// registerEvents adds the server-sent event stream (HTML standard, section 9.2).
func (s *server) registerEvents(r registrar) {
	op := r.operation(http.MethodGet, "/events", "events", "Stream insertions and removals as they happen")
	op.Description = "Server-sent events. The event is inserted or removed; the data is a ReaderEvent. Comment lines keep the stream alive."
	op.Responses["200"] = &huma.Response{
		Description: "A stream that ends when the agent does",
		Content: map[string]*huma.MediaType{"text/event-stream": {
			Schema: r.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[wire.ReaderEvent](), true, "ReaderEvent"),
		}},
	}
	huma.Register(r.api, op, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			request, w := humago.Unwrap(ctx)
			s.stream(request.Context(), w)
		}}, nil
	})
}

// stream sends events until the client disconnects or the agent ends.
func (s *server) stream(ctx context.Context, w http.ResponseWriter) {
	var events <-chan pcsc.Event
	if s.readers != nil {
		var stop func()
		events, stop = s.readers.Listen()
		defer stop()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(eventWrite))
		_, err := w.Write([]byte(text))
		return err == nil && control.Flush() == nil
	}
	beat := time.NewTicker(s.events.heartbeat)
	defer beat.Stop()
	for ok := send(": listening\n\n"); ok; {
		select {
		case <-ctx.Done():
			return
		case <-s.events.closing:
			return
		case <-beat.C:
			ok = send(": still here\n\n")
		case e := <-events:
			ok = send(s.format(e))
		}
	}
}

func (s *server) format(e pcsc.Event) string {
	name, data := "inserted", wire.ReaderEvent{Reader: e.Reader}
	if !e.Inserted {
		name, data.Serial = "removed", s.found.serialIn(e.Reader)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		raw = []byte("{}") // cannot happen: two strings
	}
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, raw)
}
