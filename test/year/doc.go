// Package year simulates a year of an installation on a fake clock: tokens are issued,
// suspended, lost, reset and taken away, certificates are issued, renewed, revoked and
// expire, people are disabled and enabled and choose what is mailed, backups fail or
// are not made, the license ends. Two processes send the notifications and are killed
// at random, and the SMTP server is away or refuses for hours or days. Then the test
// checks that every message of the table came once and on time, on the page and by
// mail, and none to somebody who may not know.
//
// The expectations come from a model in these files, not from the notifying code.
package year
