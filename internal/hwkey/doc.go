// Package hwkey is the tokens' records: the inventory, who has which token and in which
// status, and who may have its secrets (package custody) or change them.
//
// service.go has registration and lists, status.go the table of statuses, release.go who
// may have a secret, releaselimit.go the cap on what one person gets in an hour, rotate.go
// a change of secrets step by step, enrol.go set-up and reset; import.go and bulk.go work
// on many tokens at once.
//
// Routes: /api/hwkey and below.
package hwkey
