//go:build linux || darwin

package app

import "syscall"

// space returns what the file system of a path has left for this user, and in total, in
// bytes.
func space(path string) (free, total int64, known bool, err error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, 0, false, err
	}
	block := int64(st.Bsize) //nolint:unconvert // 32 bits on some systems
	return int64(st.Bavail) * block, int64(st.Blocks) * block, true, nil
}
