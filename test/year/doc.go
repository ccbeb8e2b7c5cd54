// Package year lets a year pass in an installation, by a simulated clock: tokens are
// handed out, unblocked, reset and taken away, certificates are issued, renewed, revoked
// and end, while two processes tell people of it and are killed at random. Then it looks
// whether every message of the table came once, by the page and by mail, and none to
// somebody who may not know.
package year
