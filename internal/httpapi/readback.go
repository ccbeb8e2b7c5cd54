package httpapi

import (
	"github.com/danielgtaylor/huma/v2"
)

// TakeBack lets every PUT and PATCH accept what a GET of the same path returns:
// read-only members are known, and ignored (contract, "Success"). Call it when all
// operations are registered.
func (s *Server) TakeBack() {
	api := s.OpenAPI()
	schema := func(content map[string]*huma.MediaType) *huma.Schema {
		media := content["application/json"]
		if media == nil {
			return nil
		}
		if media.Schema.Ref != "" {
			return api.Components.Schemas.SchemaFromRef(media.Schema.Ref)
		}
		return media.Schema
	}
	for _, path := range api.Paths {
		if path.Get == nil || path.Get.Responses["200"] == nil {
			continue
		}
		answered := schema(path.Get.Responses["200"].Content)
		for _, op := range []*huma.Operation{path.Put, path.Patch} {
			if answered == nil || op == nil || op.RequestBody == nil {
				continue
			}
			asked := schema(op.RequestBody.Content)
			for name := range answered.Properties {
				if asked.Properties[name] == nil {
					asked.Properties[name] = &huma.Schema{ReadOnly: true, Description: "ignored: what GET answers can be sent back"}
				}
			}
			asked.PrecomputeMessages()
		}
	}
}
