package resource

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/api"
	"github.com/keyward/keyward/internal/access"
)

func operations(item *huma.PathItem) map[string]*huma.Operation {
	all := map[string]*huma.Operation{
		"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
	}
	maps.DeleteFunc(all, func(_ string, op *huma.Operation) bool { return op == nil })
	return all
}

// TestSpecIsCurrent: api/backend.yaml matches the code. Regenerate it with make
// generate, and review the difference: clients are built on it.
func TestSpecIsCurrent(t *testing.T) {
	t.Parallel()
	for range 3 { // nor does it depend on the order of maps
		made, err := Spec()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(api.Backend), "\n"), strings.Split(string(made), "\n")); diff != "" {
			t.Fatalf("api/backend.yaml is not current (-committed +made)\n%s", diff)
		}
	}
}

// TestSpecAndTableAgree: every operation has a row in the role table, every row an
// operation, and only public ones need no token.
func TestSpecAndTableAgree(t *testing.T) {
	t.Parallel()
	table := access.Table()
	seen := map[access.Operation]string{}
	for path, item := range described().OpenAPI().Paths {
		for method, op := range operations(item) {
			id, at := access.Operation(op.OperationID), method+" "+path
			if other, twice := seen[id]; twice {
				t.Errorf("%s is both %s and %s", id, other, at)
			}
			seen[id] = at
			rule, ok := table[id]
			if !ok {
				t.Errorf("%s (%s) has no row in package access", id, at)
			}
			if (len(op.Security) == 0) != rule.Public {
				t.Errorf("%s: the description and the role table differ on whether it is public", id)
			}
			if op.Summary == "" || len(op.Tags) != 1 {
				t.Errorf("%s needs a summary and one tag", id)
			}
			if op.Responses["default"] == nil {
				t.Errorf("%s does not document its errors", id)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(table)) {
		if seen[id] == "" {
			t.Errorf("the row %q of package access has no operation", id)
		}
	}
}

// TestEveryFieldHasAnEffect: every field of every changing operation has its row in
// package access, and every row its field.
func TestEveryFieldHasAnEffect(t *testing.T) {
	t.Parallel()
	api := described().OpenAPI()
	columns := map[string]string{"import-users": "role upn sid"} // of a CSV, which has no schema
	described := map[access.Operation][]string{}
	for _, item := range api.Paths {
		for method, op := range operations(item) {
			if method == http.MethodGet {
				continue
			}
			fields := strings.Fields(columns[op.OperationID])
			for _, p := range op.Parameters {
				if p.In == "query" {
					fields = append(fields, p.Name)
				}
			}
			if op.RequestBody != nil {
				if media := op.RequestBody.Content["application/json"]; media != nil {
					schema := media.Schema
					if schema.Ref != "" {
						schema = api.Components.Schemas.SchemaFromRef(schema.Ref)
					}
					for name, property := range schema.Properties {
						if !property.ReadOnly {
							fields = append(fields, name)
						}
					}
				}
			}
			described[access.Operation(op.OperationID)] = fields
			for _, field := range fields {
				if _, ok := access.EffectOf(access.Operation(op.OperationID), field); !ok {
					t.Errorf("%s: %s has no effect in package access", op.OperationID, field)
				}
			}
		}
	}
	for op, fields := range access.Effects() {
		for _, field := range fields {
			if !slices.Contains(described[op], field) {
				t.Errorf("%s has no field %s", op, field)
			}
		}
	}
}

// TestEveryOperationNeedsAToken walks the whole API: every operation that is not public
// answers 401 without a token, before any other check.
func TestEveryOperationNeedsAToken(t *testing.T) {
	t.Parallel()
	s, url := setup(t, Services{})
	for path, item := range s.OpenAPI().Paths {
		for method, op := range operations(item) {
			if access.IsPublic(access.Operation(op.OperationID)) {
				continue
			}
			res := do(t, method, url+path, "{")
			if res.StatusCode != http.StatusUnauthorized || res.Document(t).Code != "token_missing" {
				t.Errorf("%s %s: %d %s", method, path, res.StatusCode, res.Text)
			}
		}
	}
}
