// Package move takes an installation of one machine (SQLite and the embedded
// vault in a directory) to PostgreSQL and a remote vault, with everything that
// it is made of. docs/moving.md is for whoever does it.
//
//	mark "moving" in the directory ─▶ mark in the target ─▶ vault prepared, CA
//	  ─▶ mark _keyward/move in the vault
//	  ─▶ rows ─▶ ids ─▶ documents ─▶ CRL number ─▶ revocations ─▶ checks
//	  ─▶ mark "moved" in the directory ─▶ vault's mark removed
//	  ─▶ mark "done" in the target
//
// All three marks hold the id of the move. While it is under way no server
// starts on either side. A move that was broken off goes on where it stood:
// its place is kept in the target's mark, written with the rows in one
// transaction, and every other step may be repeated. That is sound because
// the source stays as it is: the move has its vault open and its database
// locked, and between two tries the directory's mark keeps servers away. Who
// removes that mark gives the move up; it is not resumed.
//
// Nothing else writes to the target, and nobody follows its log: the move
// holds the lead of its servers all the time, and none starts before the end.
//
// The tables are the schema's. What is not moved is named, with its reason, in
// leftOut; a table that a later migration adds is moved by itself.
package move
