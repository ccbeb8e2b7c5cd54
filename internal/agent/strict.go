package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// strictJSON is huma's JSON format with the two leniences of encoding/json
// taken away by which a body can say two things at once: names that match in
// another case, and names that occur twice. Either could smuggle in another
// secret than the one that was checked.
var strictJSON = huma.Format{
	Marshal:   huma.DefaultJSONFormat.Marshal,
	Unmarshal: unmarshal,
}

// unexpected begins the message about a name, which describeField reads.
const unexpected = "unexpected property "

func unmarshal(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	return checkNames(json.NewDecoder(bytes.NewReader(data)), reflect.TypeOf(v))
}

// checkNames walks one JSON value beside the Go type that it was read into.
func checkNames(d *json.Decoder, t reflect.Type) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return checkObject(d, t)
	case json.Delim('['):
		for d.More() {
			if err := checkNames(d, nil); err != nil { // our lists hold no objects
				return err
			}
		}
		_, err = d.Token()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func checkObject(d *json.Decoder, t reflect.Type) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return errors.New(unexpected + name)
		}
		seen[name] = true
		var inner reflect.Type
		if t != nil && t.Kind() == reflect.Struct {
			field, ok := jsonField(t, name)
			if !ok {
				return errors.New(unexpected + name)
			}
			inner = field.Type
		}
		if err := checkNames(d, inner); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// jsonField finds a struct's field by its exact JSON name.
func jsonField(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && tag == name && tag != "" {
			return f, true
		}
	}
	return reflect.StructField{}, false
}
