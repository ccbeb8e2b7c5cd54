// Command grafana judges the dashboard on standard input by Grafana's own schema: of the dashboard, of
// each panel's options and fields, and of each query. What the schema doesn't have and what is of another
// type are mistakes, and so is a word, such as a unit, that is none of Grafana's that Keyward needs. It
// prints all of them; the exit code is then 1.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

func main() {
	plugins.RegisterDefaultPlugins()
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = judge(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func judge(text []byte) error {
	// What was read strictly has no panels: the schema's code drops them. So the rest looks at what is
	// read as Grafana does.
	errs := []error{strictly(new(dashboard.Dashboard), text)}
	var d dashboard.Dashboard
	var raw struct {
		Panels []rawPanel
	}
	if err := errors.Join(json.Unmarshal(text, &d), json.Unmarshal(text, &raw)); err != nil {
		return errors.Join(append(errs, err)...)
	}
	errs = append(append(errs, d.Validate()), misspelled(reflect.ValueOf(d))...)
	for _, p := range raw.Panels {
		for _, p := range append(p.Panels, p) {
			if p.Type != "row" {
				errs = append(errs, p.judge())
			}
		}
	}
	return errors.Join(errs...)
}

// strictly reads into a value of the schema. Its code says that there is no error by an empty list of them.
func strictly(into interface{ UnmarshalJSONStrict([]byte) error }, text []byte) error {
	err := into.UnmarshalJSONStrict(text)
	if list, ok := err.(cog.BuildErrors); ok && len(list) == 0 {
		return nil
	}
	return err
}

// rawPanel is what the schema's code takes as it comes: kinds of panels and data sources may be anybody's.
type rawPanel struct {
	Type, Title string
	Datasource  struct{ Type string }
	FieldConfig json.RawMessage
	Targets     []json.RawMessage
	Panels      []rawPanel // of a row that is collapsed
}

func (p rawPanel) judge() error {
	var errs []error
	if _, found := cog.ConfigForPanelcfgVariant(p.Type); !found {
		errs = append(errs, fmt.Errorf("the type %q is unknown", p.Type))
	}
	if p.Datasource.Type != "prometheus" {
		errs = append(errs, fmt.Errorf("the data source is %q", p.Datasource.Type))
	}
	var fields dashboard.FieldConfigSource
	errs = append(errs, strictly(&fields, p.FieldConfig))
	if unit := fields.Defaults.Unit; unit != nil && !slices.Contains(knownUnits, *unit) {
		errs = append(errs, fmt.Errorf("the unit %q is unknown", *unit))
	}
	for _, target := range p.Targets {
		query := new(prometheus.Dataquery)
		errs = append(append(errs, strictly(query, target)), misspelled(reflect.ValueOf(query))...)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", p.Title, err)
	}
	return nil
}
