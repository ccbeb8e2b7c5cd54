package containers

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// image is an image's configuration, as far as it says how its program runs.
type image struct {
	User            string
	Env             []string
	Entrypoint, Cmd []string
	ExposedPorts    map[string]any
	Volumes         map[string]any
	Healthcheck     struct{ Test []string }
}

// containerfile has BuildKit lint the Containerfile, and returns what it would build, without
// the files.
func containerfile(t *testing.T) image {
	t.Helper()
	var built struct{ Config image }
	out := must.Get(run(tool(t, "containers", "image", top+"deploy/container/Containerfile")))(t)
	must.OK(t, json.Unmarshal([]byte(out), &built))
	return built.Config
}

// TestContainerfile: nothing in the image needs a shell or root.
func TestContainerfile(t *testing.T) {
	t.Parallel()
	want := image{
		User: "65532:65532", Env: []string{"PATH=/usr/bin", "DATA=/var/lib/keyward"},
		Entrypoint: []string{"/usr/bin/keyward"}, Cmd: []string{"serve"},
		ExposedPorts: map[string]any{"8080/tcp": map[string]any{}}, Volumes: map[string]any{"/var/lib/keyward": map[string]any{}},
	}
	want.Healthcheck.Test = []string{"CMD", "/usr/bin/keyward", "healthcheck"}
	if got := containerfile(t); !reflect.DeepEqual(got, want) {
		t.Errorf("the image is\n%+v, and not\n%+v", got, want)
	}
}
