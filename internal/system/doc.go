// Package system reports the server's state to global admins: each component
// and its latency, versions, sizes, and the results of background tasks.
//
// A component joins the health report as a Component, a background task as a
// Task of a Tasks.
//
// Routes: GET /api/admin/system/health, /info, /database, /vault, /storage,
// /license, /jobs.
package system
