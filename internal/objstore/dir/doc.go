// Package dir stores objects as files in a directory on this machine, for
// installations without an object store.
//
// A key is a path below the directory; nothing on the way, such as a symbolic link,
// is followed out of it. A file is written beside its place under another name
// (markStem), made durable, and then named by a hard link, which replaces nothing:
// readers find all of it or none, even after a crash. Only the owner can access the
// files (0600).
// their owner alone (0600).
package dir
