// Package move moves an installation on one machine (SQLite and the embedded vault
// in a directory) to PostgreSQL and a remote vault, with all its data.
// docs/moving.md is for the administrator.
//
//	mark "moving" in the directory ─▶ mark in the target ─▶ vault prepared, CA
//	  ─▶ mark _keyward/move in the vault
//	  ─▶ rows ─▶ ids ─▶ documents ─▶ CRL number ─▶ revocations ─▶ checks
//	  ─▶ mark "moved" in the directory ─▶ vault's mark removed
//	  ─▶ mark "done" in the target
//
// All three marks have the id of the move. Until it is done no server starts on
// either side. An interrupted move continues where it stopped: its position is in
// the target's mark, written in the same transaction as the rows, and every other
// step may be repeated. That is sound because the source does not change: the move
// has its vault open and its database locked, and between two attempts the
// directory's mark keeps servers away. Removing that mark abandons the move; it
// cannot be resumed.
//
// Nothing else writes to the target or follows its log: the move holds the lead of
// its servers all the time, and none starts before the end.
//
// The tables are the schema's. Those not moved are in leftOut, with the reason;
// tables added by later migrations are moved automatically.
package move
