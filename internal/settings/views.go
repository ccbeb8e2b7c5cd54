package settings

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// ViewList is a list that can be saved as a view.
type ViewList string

// The lists.
const (
	Tokens       ViewList = "tokens"
	People       ViewList = "people"
	Certificates ViewList = "certificates"
	AuditLog     ViewList = "audit"
)

var viewLists = []ViewList{Tokens, People, Certificates, AuditLog}

// opens returns why an actor has no page of a list: everybody has that of certificates, and
// managers, who list people, have the others.
func opens(a access.Actor, list ViewList) error {
	operation := access.Operation("list-users")
	if list == Certificates {
		operation = "list-certificates"
	}
	_, err := access.Can(a, operation)
	return err
}

// View is a name for how a list is looked at.
type View struct {
	ID     string   `json:"id"`
	List   ViewList `json:"list"`
	Name   string   `json:"name"`
	Query  string   `json:"query"` // of the page's address: filters, order and columns
	Shared bool     `json:"-"`     // the organization's, not the person's own
}

// Bounds of views.
const (
	MaxViews     = 100 // of a person, and of an organization
	MaxViewName  = 64
	MaxViewQuery = 2000
)

// ViewSettings is the beginning of the names of the settings that hold views.
const ViewSettings = "views_"

// ViewStore keeps the settings that hold views.
type ViewStore interface {
	Store
	// SwapAudited stores v, with the entries, if the current value is was (the zero Value: none),
	// and reports whether it did.
	SwapAudited(ctx context.Context, name string, was, v Value, entries ...audit.Entry) (bool, error)
}

// Views keeps people's and organizations' views. What somebody may see through one is what they
// may see anyway.
type Views struct {
	Store ViewStore
	Now   func() time.Time
}

// ownViews and sharedViews name the settings. Global administrators belong to no organization, and
// share theirs among each other.
func ownViews(a access.Actor) string { return ViewSettings + "user_" + strconv.FormatInt(a.UserID, 10) }

func sharedViews(a access.Actor) string {
	if a.OrganizationID == nil {
		return ViewSettings + "global"
	}
	return ViewSettings + "organization_" + strconv.FormatInt(*a.OrganizationID, 10)
}

// List returns the actor's own views and those shared with them, of lists that they can open.
func (s *Views) List(ctx context.Context, a access.Actor) ([]View, error) {
	own, _, err := s.read(ctx, ownViews(a))
	if err != nil {
		return nil, err
	}
	shared, _, err := s.read(ctx, sharedViews(a))
	if err != nil {
		return nil, err
	}
	for i := range shared {
		shared[i].Shared = true
	}
	return slices.DeleteFunc(append(own, shared...), func(v View) bool { return opens(a, v.List) != nil }), nil
}

// Save adds a view, or replaces the one of that list and name.
func (s *Views) Save(ctx context.Context, a access.Actor, v View) (View, error) {
	v.Name = strings.TrimSpace(v.Name)
	if err := v.check(); err != nil {
		return View{}, err
	}
	if err := opens(a, v.List); err != nil {
		return View{}, err
	}
	if v.Shared && a.Role == access.User {
		return View{}, fault.New(fault.PermissionDenied, "view_shared", "Only managers can change what is shared.")
	}
	v.ID = rand.Text()
	name, entries := ownViews(a), []audit.Entry(nil)
	if v.Shared {
		name = sharedViews(a)
		entries = append(entries, audit.By(a, audit.SettingsChanged, "settings", "views", "view of "+string(v.List)+" saved: "+v.Name))
	}
	err := s.change(ctx, name, entries, func(views []View) ([]View, error) {
		at := slices.IndexFunc(views, func(o View) bool { return o.List == v.List && o.Name == v.Name })
		switch {
		case at >= 0:
			v.ID = views[at].ID
			views[at] = v
		case len(views) >= MaxViews:
			return nil, fault.New(fault.Conflict, "views_full", "There are 100 views already. Delete one first.")
		default:
			views = append(views, v)
		}
		return views, nil
	})
	return v, err
}

func (v View) check() error {
	var bad []fault.Field
	if !slices.Contains(viewLists, v.List) {
		bad = append(bad, fault.NotOneOf("list", viewLists...))
	}
	if v.Name == "" || !textinput.ValidLine(v.Name, MaxViewName) {
		bad = append(bad, fault.BadName("name", MaxViewName))
	}
	if _, err := url.ParseQuery(v.Query); err != nil || !textinput.ValidLine(v.Query, MaxViewQuery) {
		bad = append(bad, fault.Wrong("query", "bad_query", "must be the query of an address, of at most 2000 characters"))
	}
	if len(bad) > 0 {
		return fault.Invalid(bad...)
	}
	return nil
}

// Delete removes one of the actor's own views, or, for a manager, a shared one.
func (s *Views) Delete(ctx context.Context, a access.Actor, id string) error {
	list, err := s.List(ctx, a)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(v View) bool { return v.ID == id })
	if at < 0 {
		return noView
	}
	v := list[at]
	name, entries := ownViews(a), []audit.Entry(nil)
	if v.Shared {
		if a.Role == access.User {
			return fault.New(fault.PermissionDenied, "view_shared", "Only managers can change what is shared.")
		}
		name = sharedViews(a)
		entries = append(entries, audit.By(a, audit.SettingsChanged, "settings", "views", "view of "+string(v.List)+" deleted: "+v.Name))
	}
	return s.change(ctx, name, entries, func(views []View) ([]View, error) {
		at := slices.IndexFunc(views, func(v View) bool { return v.ID == id })
		if at < 0 {
			return nil, noView
		}
		return slices.Delete(views, at, at+1), nil
	})
}

var noView = fault.New(fault.NotFound, "no_view", "There is no such view.")

func (s *Views) read(ctx context.Context, name string) (views []View, was Value, err error) {
	was, err = s.Store.Setting(ctx, name)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, Value{}, nil
	case err != nil:
		return nil, Value{}, err
	}
	if err := json.Unmarshal([]byte(was.Text), &views); err != nil {
		return nil, Value{}, fmt.Errorf("settings: the stored views %s cannot be read: %w", name, err)
	}
	return views, was, nil
}

// attempts is for others who change the same views meanwhile.
const attempts = 10

func (s *Views) change(ctx context.Context, name string, entries []audit.Entry, next func([]View) ([]View, error)) error {
	for range attempts {
		views, was, err := s.read(ctx, name)
		if err != nil {
			return err
		}
		if views, err = next(views); err != nil {
			return err
		}
		text, err := json.Marshal(views)
		if err != nil {
			return err
		}
		swapped, err := s.Store.SwapAudited(ctx, name, was, Value{Text: string(text), UpdatedAt: s.Now()}, entries...)
		if err != nil || swapped {
			return err
		}
	}
	return fault.New(fault.Conflict, "views_changed", "Somebody else changed these views at the same moment. Try again.")
}
