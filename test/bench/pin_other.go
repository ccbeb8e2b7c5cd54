//go:build !linux

package main

// allowedCores is none where a process cannot be held to a core.
func allowedCores() ([]int, error) { return nil, nil }

func onCore(_ int, start func() error) error { return start() }
