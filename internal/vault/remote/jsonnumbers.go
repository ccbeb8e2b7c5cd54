package remote

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keyward/keyward/internal/vault"
)

// checkNumbers refuses numbers that would come back changed: Vault, like OpenBao, reads the
// documents of KV version 2 as doubles.
func checkNumbers(data vault.Data) error {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return invalid("the document cannot be read")
		}
		if token.Kind() == '0' && !keeps(token.String()) {
			return invalid("the document holds a number that the vault would change: write it as a text")
		}
	}
}

// exactDigits is how many decimal digits every double holds.
const exactDigits = 15

// keeps reports whether a number stays the same as a double.
func keeps(number string) bool {
	if len(number) <= exactDigits && !strings.ContainsAny(number, ".eE") {
		return true
	}
	double, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(number), "e"); ok && len(exponent) > len("-308") {
		return false // a double of that size is zero
	}
	before, ok := new(big.Rat).SetString(number)
	after, okAfter := new(big.Rat).SetString(strconv.FormatFloat(double, 'g', -1, 64))
	return ok && okAfter && before.Cmp(after) == 0
}
