// Package backup makes encrypted backups, restores them, and tests that they
// restore. Each of these is a job; one job runs at a time, over all servers of a database:
//
//	Pending ──a server takes it──▶ Running ──its work is done──▶ Completed
//	   │                              │
//	   └──────────────────────────────┴────────▶ Failed
//	                  its work failed; it was cancelled; the server was stopped;
//	                  no heartbeat was seen for 60 s; it took longer than 2 hours
//
// The server that runs a job records a heartbeat every 15 seconds. The other servers
// watch it, and end a job whose heartbeat stops. A server that could not record it
// for most of that time stops the work by itself: the job may have been ended, and
// another one begun.
//
// The end of a job is written with its audit entry: backup.completed or .failed,
// restore.completed or .failed, backup.drill_completed or .drill_failed.
//
// Routes: GET /api/backup/jobs, /jobs/{id}, /jobs/running; POST /api/backup/jobs/{id}/cancel.
package backup
