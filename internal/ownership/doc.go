// Package ownership checks that files and folders belong to this user alone, so
// that no other user of the machine has written, read or replaced what a
// program finds there. On systems without Unix owners it trusts the folder,
// which is closed to other users there.
package ownership
