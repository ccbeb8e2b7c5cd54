package main

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// allowedCores are those that this process may run on.
func allowedCores() (list []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	for core := 0; len(list) < set.Count(); core++ {
		if set.IsSet(core) {
			list = append(list, core)
		}
	}
	return list, nil
}

// onCore runs start where what it starts inherits one core: every thread of a
// process, and every child of it.
func onCore(core int, start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	one.Set(core)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	return errors.Join(start(), unix.SchedSetaffinity(0, &before))
}
