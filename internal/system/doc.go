// Package system tells a global admin how the server stands: each part and
// how long it took to answer, what runs, how much there is, and how the
// background tasks ended.
//
// A part joins the health report as a Component, a background task as a Task
// of a Tasks; nothing else is needed.
//
// Routes: GET /api/admin/system/health, /info, /database, /vault, /storage,
// /license, /jobs.
package system
