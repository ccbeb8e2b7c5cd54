//go:build !unix

package main

// withoutFileLimit does nothing: there is no such limit.
func withoutFileLimit() {}
