package dir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// TestNoLinks: errors of file systems without hard links.
func TestNoLinks(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]string{
		syscall.EPERM:      "backup_directory_no_links", // FAT, exFAT
		syscall.EOPNOTSUPP: "backup_directory_no_links", // shares
		syscall.ENOSYS:     "backup_directory_no_links", // FUSE
		syscall.EACCES:     "backup_directory_denied",
		syscall.ENOSPC:     "backup_directory_full",
		syscall.EIO:        "backup_directory_broken",
	} {
		err := unlinked(&os.LinkError{Op: "linkat", Old: "a", New: "b", Err: errno})
		if f, ok := fault.As(err); !ok || f.Reason != want || !errors.Is(err, errno) {
			t.Errorf("%v: %v", errno, err)
		}
	}
	if err := unlinked(syscall.EPERM); !errors.Is(err, objstore.ErrUnavailable) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("its kind: %v", err)
	}
}
