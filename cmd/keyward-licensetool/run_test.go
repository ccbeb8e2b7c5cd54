package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keyward/keyward/test/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"keyward-licensetool": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, nil)
}
