package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// Grafana's words that Keyward's dashboard needs. The schema's code takes any text for them.
var (
	knownUnits = []string{
		units.BytesIEC, units.CountsPerSecond, units.NoUnit, units.PercentUnit, units.RequestsPerSecond, units.Seconds, units.Short,
	}
	knownWords = []any{
		common.BigValueColorModeBackground, common.BigValueGraphModeNone, common.BigValueJustifyModeAuto,
		common.BigValueTextModeAuto, common.BigValueTextModeValueAndName, common.GraphThresholdsStyleModeDashed,
		common.LegendDisplayModeList, common.LegendPlacementBottom, common.PercentChangeColorModeStandard,
		common.SortOrderDescending, common.SortOrderNone, common.StackingModeNormal, common.TableCellHeightSm,
		common.TimelineValueAlignmentLeft, common.TooltipDisplayModeMulti, common.TooltipDisplayModeSingle,
		common.VisibilityModeNever, common.VizOrientationAuto,
		dashboard.DashboardLinkTypeLink, dashboard.FieldColorModeIdPaletteClassic, dashboard.FieldColorModeIdThresholds,
		dashboard.MappingTypeValueToText, dashboard.ThresholdsModeAbsolute, dashboard.VariableTypeDatasource,
		dashboard.VariableTypeQuery, prometheus.PromQueryFormatTable,
	}
)

// misspelled returns the words in a value, however deep, that aren't known.
func misspelled(v reflect.Value) (errs []error) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return misspelled(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			errs = append(errs, misspelled(v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			errs = append(errs, misspelled(v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			errs = append(errs, misspelled(v.MapIndex(key))...)
		}
	case reflect.String:
		if v.Len() > 0 && strings.HasPrefix(v.Type().PkgPath(), "github.com/grafana/") && !slices.Contains(knownWords, v.Interface()) {
			return []error{fmt.Errorf("%q is no word of %s that is known here", v.String(), v.Type())}
		}
	}
	return errs
}
