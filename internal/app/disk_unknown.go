//go:build !linux && !darwin

package app

// space is unknown on this system.
func space(string) (free, total int64, known bool, err error) { return 0, 0, false, nil }
