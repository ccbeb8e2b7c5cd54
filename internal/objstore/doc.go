// Package objstore is the port to the storage of backups: objects with a key, which
// are written once, whole or not at all, and read, listed and deleted. It has two
// engines: dir, a directory on this machine, and s3. Both pass one conformance
// suite, objstoretest.
//
// A key begins with the store's prefix, any text, unchanged: "nightly/" makes a
// folder, "nightly" does not. A backup's name has the form of Name; Each and Newest
// ignore others. Other objects, such as signed audit heads beside the backups, are
// written, read and deleted by key.
//
//	absent --Put--> there --Delete--> absent
//
// Nothing is ever overwritten. An object being written does not exist yet, and
// leftovers of killed writes are never listed; Sweep removes them.
//
// Errors are faults (package fault) that name the setting and say what to fix. Where
// callers must distinguish them, their cause is one of the errors below; test with
// errors.Is. A call whose context was cancelled returns the context's error instead,
// and Put that of its reader if the reader fails.
package objstore
