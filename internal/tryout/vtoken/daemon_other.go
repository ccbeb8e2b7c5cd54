//go:build !linux

package vtoken

import (
	"context"
	"errors"
)

var errLinuxOnly = errors.New("virtual tokens run on Linux only: they need mount namespaces")

type daemon struct {
	socket string
	done   chan struct{}
}

func startDaemon(context.Context, string, string) (*daemon, error) { return nil, errLinuxOnly }

func (*daemon) stop() error { return nil }
func (*daemon) log() string { return "" }

func (dir) lock() (func() error, error) { return nil, errLinuxOnly }
