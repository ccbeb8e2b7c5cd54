// Package objstore is the port to where backups are kept: objects with a key, which
// are written once, whole or not at all, and read, listed and deleted. Two engines
// stand behind it: dir, a directory of this machine, and s3. One conformance suite,
// objstoretest, runs against both.
//
// A key begins with the store's prefix, a text of any kind that is put before the
// name as it is: "nightly/" makes a folder, "nightly" does not. A backup's name has
// the shape of Name; Each and Newest see nothing else. Other objects, such as signed
// audit heads beside the backups, are put, read and deleted by their keys.
//
//	absent --Put--> there --Delete--> absent
//
// Nothing is ever overwritten. An object that is being written is not there, and
// what a write leaves that was killed is never listed; Sweep removes it.
//
// Errors are faults (package fault) that name the setting and say what to fix. Their
// cause is one of the errors below, where somebody has to tell them apart; test with
// errors.Is. A call whose context was cancelled answers the context's error instead,
// and Put that of its reader when this one fails.
package objstore
