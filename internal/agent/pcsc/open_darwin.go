package pcsc

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

const framework = "/System/Library/Frameworks/PCSC.framework/PCSC"

// The framework's functions; LONG, DWORD and SCARDCONTEXT have 32 bits there.
type functions struct {
	establish func(scope uint32, r1, r2 uintptr, handle *int32) int32
	release   func(handle int32) int32
	list      func(handle int32, groups uintptr, names *byte, size *uint32) int32
}

var load = sync.OnceValues(func() (functions, error) {
	var f functions
	lib, err := purego.Dlopen(framework, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return f, err
	}
	purego.RegisterLibFunc(&f.establish, lib, "SCardEstablishContext")
	purego.RegisterLibFunc(&f.release, lib, "SCardReleaseContext")
	purego.RegisterLibFunc(&f.list, lib, "SCardListReaders")
	return f, nil
})

type frameworkLister struct {
	functions
	handle int32
}

func open(context.Context, string) (source, error) {
	f, err := load()
	if err != nil {
		return nil, err
	}
	l := &frameworkLister{functions: f}
	if rv := f.establish(scardScopeSystem, 0, 0, &l.handle); rv != scardSuccess {
		return nil, fmt.Errorf("%w: SCardEstablishContext %08X", errService, uint32(rv))
	}
	return &poller{lister: namedLister{l}}, nil
}

// namedLister splits the framework's multi-string into names.
type namedLister struct{ *frameworkLister }

func (n namedLister) close() { n.release(n.handle) }

func (n namedLister) list() ([]string, error) {
	buffer := make([]byte, maxNames)
	size := uint32(len(buffer))
	switch rv := uint32(n.functions.list(n.handle, 0, &buffer[0], &size)); rv {
	case scardSuccess:
	case scardNoReadersAvailable:
		return []string{}, nil
	default:
		return nil, fmt.Errorf("%w: SCardListReaders %08X", errService, rv)
	}
	names := []string{}
	for _, name := range strings.Split(string(buffer[:min(int(size), len(buffer))]), "\x00") {
		if name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}
