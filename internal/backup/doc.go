// Package backup makes encrypted backups, restores them, and tries whether they
// would restore. Whatever it does is a job, of which one runs at a time, also over
// all servers of one database:
//
//	Pending ──a server takes it──▶ Running ──its work is done──▶ Completed
//	   │                              │
//	   └──────────────────────────────┴──────────────────────▶ Failed
//	                  its work failed; it was cancelled; the server was stopped;
//	                  no heartbeat was seen for 60 s; it took longer than 2 hours
//
// The server that takes a job notes every 15 seconds that it is at work. The others
// watch these notes, and end a job whose notes stop. A server that could not note it
// for most of that time stops the work by itself: by then, the job may be over, and
// another one begun.
//
// How a job ended is an audit entry, written with it: backup.completed or .failed,
// restore.completed or .failed, backup.drill_completed or .drill_failed.
//
// Routes: GET /api/backup/jobs, /jobs/{id}, /jobs/running; POST /api/backup/jobs/{id}/cancel.
package backup
