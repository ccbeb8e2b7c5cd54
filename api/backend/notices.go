package backend

import (
	"time"
)

// Notice is a message to the person who is signed in.
type Notice struct {
	ID        int64       `json:"id"`
	Kind      string      `json:"kind" doc:"what it is about, in snake_case"`
	Message   string      `json:"message" doc:"plain text, in the language of Accept-Language, or else the person's"`
	Link      *NoticeLink `json:"link,omitempty" doc:"the page that shows what it is about"`
	CreatedAt time.Time   `json:"created_at"`
	ReadAt    *time.Time  `json:"read_at" nullable:"true"`
}

// NoticeLink leads to a page.
type NoticeLink struct {
	Path string `json:"path" doc:"within the site, such as /tokens/20260001"`
	Text string `json:"text"`
}

// Notifications are what the person who is signed in gets by mail.
type Notifications struct {
	Language  string             `json:"language" enum:",en,de" doc:"of mail; empty: the installation's"`
	Mail      map[string]bool    `json:"mail" doc:"the choices made, by kind; all others have the kind's default"`
	Kinds     []NotificationKind `json:"kinds" doc:"what the person can be notified of"`
	Address   string             `json:"address"`
	FailedAt  *time.Time         `json:"failed_at" nullable:"true" doc:"since when mail to the address fails for good"`
	Error     string             `json:"error" doc:"why it does, in a word; empty when it does not"`
	Available bool               `json:"available" doc:"whether mail is set up at all"`
}

// NotificationKind is a kind of message.
type NotificationKind struct {
	Kind   string `json:"kind"`
	Choice string `json:"choice" enum:"always,on" doc:"always: by mail in any case; on: by mail unless the person turned it off"`
	Mail   bool   `json:"mail" doc:"whether it comes by mail now"`
}

// PutNotifications is what a person chooses. What is absent stays: pages that choose at the same
// time take nothing back from each other.
type PutNotifications struct {
	Language *string         `json:"language,omitempty" enum:",en,de" doc:"absent: as it is; empty: the installation's"`
	Mail     map[string]bool `json:"mail,omitempty" doc:"by kind, for those that can be on or off; kinds that you leave out don't change"`
}
