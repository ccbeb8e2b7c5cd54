package backend

// View is a saved way to look at a list.
type View struct {
	ID     string `json:"id"`
	List   string `json:"list" enum:"tokens,people,certificates,audit"`
	Name   string `json:"name"`
	Query  string `json:"query" doc:"of the page's address: filters, order and columns"`
	Shared bool   `json:"shared" doc:"the organization's, not one's own"`
}

// Views are all that a person has.
type Views struct {
	Views []View `json:"views" nullable:"false"`
}

// NewView is the view to save.
type NewView struct {
	List   string `json:"list" enum:"tokens,people,certificates,audit"`
	Name   string `json:"name" minLength:"1" maxLength:"64"`
	Query  string `json:"query" maxLength:"2000" doc:"of the page's address: filters, order and columns"`
	Shared bool   `json:"shared,omitempty" doc:"for all people of the organization who can open the list; managers only"`
}
