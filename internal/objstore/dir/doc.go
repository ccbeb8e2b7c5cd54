// Package dir keeps objects as files in a directory of this machine: the object
// store of an installation that has none.
//
// A key is a path below the directory; what is in the way, such as a symbolic link,
// is never followed out of it. A file is written beside its place under another name
// (markStem), made durable, and then gets its own by a hard link, which replaces
// nothing: whoever lists finds all of it or none, after a crash too. Files are for
// their owner alone (0600).
package dir
