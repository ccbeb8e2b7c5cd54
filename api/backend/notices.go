package backend

import (
	"time"
)

// Notice is a message to the person who is signed in.
type Notice struct {
	ID        int64      `json:"id"`
	Kind      string     `json:"kind" doc:"what it is about, in snake_case"`
	Message   string     `json:"message" doc:"plain text"`
	CreatedAt time.Time  `json:"created_at"`
	ReadAt    *time.Time `json:"read_at" nullable:"true"`
}
