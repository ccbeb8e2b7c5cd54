package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var noticeCases = map[string]func(*testing.T, *fixture){
	"read by whom it is for": noticeRead,
	"pages":                  noticePages,
}

// told gives alex n notices, as replaced agent keys do.
func (f *fixture) told(t *testing.T, n int) {
	t.Helper()
	s := f.signIn(t, f.alex)
	for i := range n + 1 {
		must.OK(t, f.registerAgent(t, s.ID, string(rune('A'+i)), Now))
	}
}

func noticeRead(t *testing.T, f *fixture) {
	f.told(t, 2)
	list := func(userID int64, unread bool) []notify.Notice {
		p := must.Get(f.ListNotices(t.Context(), userID, notify.Filter{Unread: unread}, page.Request{Limit: 9}))(t)
		return p.Items
	}
	all := list(f.alex.ID, false)
	equal(t, "notices", len(all), 2)
	equal(t, "another's", len(list(f.bea.ID, false)), 0)
	refused(t, "another's", errOf(f.ReadNotice(t.Context(), f.bea.ID, all[0].ID, Now)), fault.NotFound)
	first := Now.Add(time.Minute)
	for _, at := range []time.Time{first, first.Add(time.Minute)} { // the first time counts
		equal(t, "read at", must.Get(f.ReadNotice(t.Context(), f.alex.ID, all[0].ID, at))(t).ReadAt, &first)
	}
	equal(t, "unread", names(list(f.alex.ID, true), func(n notify.Notice) string { return n.Message }), []string{"B"})
}

func noticePages(t *testing.T, f *fixture) {
	f.told(t, 5)
	got := walk(t, 2, func(p page.Request) (page.Page[notify.Notice], error) {
		return f.ListNotices(t.Context(), f.alex.ID, notify.Filter{}, p)
	})
	equal(t, "notices", names(got, func(n notify.Notice) string { return n.Message }), []string{"F", "E", "D", "C", "B"})
}
