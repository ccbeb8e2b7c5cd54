package pcsc

import (
	"context"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// winscard.dll is loaded at first use, only from the system folder.
var (
	winscard         = windows.NewLazySystemDLL("winscard.dll")
	establishContext = winscard.NewProc("SCardEstablishContext")
	releaseContext   = winscard.NewProc("SCardReleaseContext")
	listReaders      = winscard.NewProc("SCardListReadersW")
)

type winscardLister struct{ handle uintptr }

func open(context.Context, string) (source, error) {
	if err := winscard.Load(); err != nil {
		return nil, err
	}
	var handle uintptr
	if rv, _, _ := establishContext.Call(scardScopeSystem, 0, 0, uintptr(unsafe.Pointer(&handle))); uint32(rv) != scardSuccess {
		return nil, fmt.Errorf("%w: SCardEstablishContext %08X", errService, uint32(rv))
	}
	return &poller{lister: winscardLister{handle}}, nil
}

func (l winscardLister) close() { _, _, _ = releaseContext.Call(l.handle) }

func (l winscardLister) list() ([]string, error) {
	buffer := make([]uint16, maxNames)
	size := uint32(len(buffer))
	rv, _, _ := listReaders.Call(l.handle, 0, uintptr(unsafe.Pointer(&buffer[0])), uintptr(unsafe.Pointer(&size)))
	switch uint32(rv) {
	case scardSuccess:
	case scardNoReadersAvailable:
		return []string{}, nil
	default:
		return nil, fmt.Errorf("%w: SCardListReaders %08X", errService, uint32(rv))
	}
	names := []string{}
	for rest := buffer[:min(int(size), len(buffer))]; len(rest) > 0 && rest[0] != 0; {
		name := windows.UTF16ToString(rest)
		names = append(names, name)
		end := 0
		for end < len(rest) && rest[end] != 0 {
			end++
		}
		rest = rest[min(end+1, len(rest)):]
	}
	return names, nil
}
