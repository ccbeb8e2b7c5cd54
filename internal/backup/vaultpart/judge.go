package vaultpart

import (
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// judge checks a document's numbers and times, whatever its class: all members that
// say when something happened are named "at" or "…_at".
func judge(j restore.Judge, path string, data vault.Data) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return errForm
	}
	return judgeValue(j, path, "", document)
}

func judgeValue(j restore.Judge, path, name string, value any) error {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if err := judgeValue(j, path, name, member); err != nil {
				return err
			}
		}
	case []any:
		for _, member := range v {
			if err := judgeValue(j, path, name, member); err != nil {
				return err
			}
		}
	case json.Number:
		if v == "-1" && name == "for" { // unknown owner: package hwkey
			return nil
		}
		n, ok := new(big.Int).SetString(v.String(), 10)
		if !ok || !n.IsInt64() {
			n = big.NewInt(-1)
		}
		return j.Number(path+": "+name, n.Int64())
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil && happened(name) {
			return j.Past(path+": "+name, at)
		}
	}
	return nil
}

func happened(name string) bool {
	return name == "at" || strings.HasSuffix(name, "_at") && name != "expires_at" && name != "next_attempt_at"
}
