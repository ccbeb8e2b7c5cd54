package password

import (
	_ "embed" // for commonList
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commonList has one common password per line, in lower case, sorted by bytes
// (scripts/common-passwords makes it). It is searched in place in the program's
// file: startup reads and builds nothing, and only the pages that a search
// touches are loaded into memory.
//
//go:embed common.txt
var commonList string

// leastCommon is the length of the list's shortest word, in bytes.
const leastCommon = 4

// common reports whether a password is on the list, ignoring case: as it is,
// without a short tail of digits and symbols, or with the usual substitutions
// of letters undone.
func common(password string) bool {
	for candidate := range stems(strings.ToLower(password)) {
		if len(candidate) < leastCommon {
			break
		}
		if listed(candidate) || listed(leetL.Replace(candidate)) || listed(leetI.Replace(candidate)) {
			return true
		}
	}
	return false
}

// leetL and leetI undo the substitutions that password crackers try first; 1
// and ! can replace either of two letters.
var (
	leetL = strings.NewReplacer("0", "o", "1", "l", "!", "l", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t")
	leetI = strings.NewReplacer("0", "o", "1", "i", "!", "i", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t")
)

// maxTail is how many characters stems removes. A longer tail may add strength;
// that of "Password2024!" has five.
const maxTail = 5

// stems yields the password itself, then without its last character, its last
// two, and so on, as long as these are digits and symbols.
func stems(password string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range maxTail {
			r, size := utf8.DecodeLastRuneInString(password)
			if !yield(password) || size == 0 || unicode.IsLetter(r) || unicode.IsMark(r) {
				return
			}
			password = password[:len(password)-size]
		}
		yield(password)
	}
}

// listed searches the list, to which it adds the product's own name.
func listed(word string) bool {
	if word == "keyward" {
		return true
	}
	low, high := 0, len(commonList) // whole lines
	for low < high {
		start := strings.LastIndexByte(commonList[low:(low+high)/2], '\n') + 1 + low
		end := start + strings.IndexByte(commonList[start:high], '\n')
		switch strings.Compare(word, commonList[start:end]) {
		case 0:
			return true
		case -1:
			high = start
		default:
			low = end + 1
		}
	}
	return false
}
