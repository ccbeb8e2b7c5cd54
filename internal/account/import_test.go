package account

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
)

// cutOff is a store that fails after so many batches.
type cutOff struct {
	UserStore

	takes int
}

func (s *cutOff) AddUsers(context.Context, []Addition) (int, error) {
	if s.takes == 0 {
		return -1, errors.New("away")
	}
	s.takes--
	return -1, nil
}

// TestImportCutOff: after a failure, the import reports the accounts created, because
// their links are shown only once; if it created none, it returns the error.
func TestImportCutOff(t *testing.T) {
	t.Parallel()
	for takes, want := range map[int]Import{0: {Left: 250}, 1: {Created: 100, Left: 150}, 3: {Created: 250}} {
		im := &importing{Users: &Users{Store: &cutOff{takes: takes}, Now: time.Now}}
		for i := range 250 {
			im.rows = append(im.rows, &planned{line: i + 2, in: NewUser{Username: fmt.Sprint("u", i), Role: access.User}, outcome: WasCreated})
		}
		err := im.create(t.Context(), im.todo(), 0)
		got := im.result(false)
		if got.Created != want.Created || got.Left != want.Left || got.Failed != 0 || (err == nil) != (takes > 0) {
			t.Errorf("%d batches: %d created, %d left, %d failed: %v", takes, got.Created, got.Left, got.Failed, err)
		}
	}
}
