//go:build !unix

package durable

import "os"

func give(*os.File) error { return nil }
