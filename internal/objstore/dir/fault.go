package dir

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// broken says what is wrong with the directory. The cause names the path, for the log.
func broken(err error) error {
	away := func(f *fault.Error) error { return f.With(errors.Join(objstore.ErrUnavailable, err)) }
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fault.New(fault.StorageUnavailable, "backup_directory_full", "The backup directory's disk is "+
			"full, or a quota or file limit is too low. Free some space, or delete old "+
			"backups.").With(errors.Join(objstore.ErrFull, err))
	case errors.Is(err, syscall.EROFS):
		return away(fault.New(fault.StorageUnavailable, "backup_directory_read_only", "The backup directory is "+
			"mounted read-only. Mount it writable. If the disk has errors, replace it."))
	case errors.Is(err, fs.ErrPermission):
		return away(fault.New(fault.StorageUnavailable, "backup_directory_denied", "The server has no access to "+
			"the backup directory. Make its user the owner of the directory and everything in it."))
	case errors.Is(err, fs.ErrNotExist):
		return objstore.NotFound(err)
	case errors.Is(err, syscall.ENOTDIR):
		return away(fault.New(fault.StorageUnavailable, "backup_directory_file", "A file is where the backup "+
			"directory or a folder in it should "+
			"be. Move the file away, or choose another directory or prefix."))
	default:
		return away(fault.New(fault.StorageUnavailable, "backup_directory_broken", "The backup directory can't "+
			"be read or written right now. Check the disk. The server's log has the system's error."))
	}
}

// unlinked says why a written file could not be named. The server owns the file, so
// if linking is forbidden, the file system does not support it.
func unlinked(err error) error {
	for _, none := range []error{syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS} {
		if errors.Is(err, none) {
			return fault.New(fault.StorageUnavailable, "backup_directory_no_links", "The backup directory's file "+
				"system doesn't support hard links, which Keyward needs. Choose a directory on another one, such "+
				"as ext4 or XFS, or an S3 store. FAT, exFAT and some network shares don't support "+
				"them.").With(errors.Join(objstore.ErrUnavailable, err))
		}
	}
	return broken(err)
}

// gone says that the directory itself is missing.
func gone(err error) error {
	return fault.New(fault.StorageUnavailable, "backup_directory_missing", "The backup directory is missing. "+
		"Mount it, or create it for the server's user.").With(errors.Join(objstore.ErrUnavailable, err))
}
