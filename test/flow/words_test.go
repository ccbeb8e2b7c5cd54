package flow_test

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// A word that nobody knows would be an expectation that cannot fail, so the
// scenarios' words are checked before anything is run.

var digits = regexp.MustCompile(`^[0-9]{6,8}$`)

// word is a value, and what it can be.
type word struct {
	what, is string
	words    []string
	digits   bool // whether digits are a word too
}

// known gives an error for the first value that is none of its words.
func known(list ...word) error {
	for _, w := range list {
		if !slices.Contains(w.words, w.is) && (!w.digits || !digits.MatchString(w.is)) {
			return fmt.Errorf("%s is %q, but can only be one of %q", w.what, w.is, w.words)
		}
	}
	return nil
}

func (s scenario) known() error {
	err := known(
		word{what: "ends", is: s.Ends, words: []string{"", "secrets", "whole"}},
		word{what: "is", is: s.Start.Is, words: []string{"", "bare", "certified"}},
	)
	for _, layer := range s.Cut {
		err = cmp.Or(err, known(word{what: "cut", is: layer, words: []string{"line", "vault", "card"}}))
	}
	for _, list := range [][]step{s.Steps, s.Again} {
		for _, step := range list {
			err = cmp.Or(err, step.known())
		}
	}
	return err
}

func (s step) known() error {
	err := known(
		word{what: "by", is: s.By, words: []string{"", "admin"}},
		word{what: "answer", is: s.Answer, words: []string{"", "yes", "no", "nobody"}},
		word{what: "when", is: string(s.attempt.Cut.When), words: []string{"", "before", "after", "failed", "lost"}},
	)
	for _, other := range s.Overtaken {
		err = cmp.Or(err, other.known())
	}
	if c := s.Card; c != nil {
		err = cmp.Or(err, counters(c.Tries), known(
			word{what: "pin", is: c.PIN, words: []string{"", "record", "first"}, digits: true},
			word{what: "puk", is: c.PUK, words: []string{"", "record"}, digits: true},
			word{what: "from", is: c.From, words: []string{"", "record", "first"}, digits: true},
			word{what: "power", is: c.Power, words: []string{"", "off", "on"}},
			word{what: "slot", is: c.Slot, words: []string{"", "foreign", "imported", "P-256"}},
		))
	}
	if e := s.Expect; e != nil {
		differs := []string{"", "same", "changed"}
		err = cmp.Or(err, counters(e.Tries), known(
			word{what: "pin", is: e.PIN, words: differs, digits: true},
			word{what: "held", is: e.Held, words: []string{""}, digits: true},
			word{what: "certificate", is: e.Certificate, words: differs},
			word{what: "key", is: e.Key, words: differs},
		))
	}
	return err
}

// counters gives an error for counters that no card has, and for none at all.
func counters(of map[string]int) error {
	if len(of) == 0 && of != nil {
		return errors.New("tries names no counter")
	}
	for field := range of {
		if err := known(word{what: "tries", is: field, words: []string{"pin", "puk"}}); err != nil {
			return err
		}
	}
	return nil
}
