//go:build !unix

package main

// withoutFileLimit: there is no such limit.
func withoutFileLimit() {}
