-- name: InsertLicenseEvent :exec
INSERT INTO license_history (at, operation, outcome, actor, message, summary, reason)
VALUES (sqlc.arg(at), sqlc.arg(operation), sqlc.arg(outcome), sqlc.arg(actor), sqlc.arg(message), sqlc.arg(summary),
  sqlc.arg(reason));
