// Package year lets a year pass in an installation, by a simulated clock: tokens are
// handed out, suspended, lost, reset and taken away, certificates are issued, renewed,
// revoked and end, people are disabled and enabled and choose what comes by mail, backups
// fail or are not made, the license ends. Two processes tell people of it and are killed
// at random, and the SMTP server is away or refuses for hours or days. Then it looks
// whether every message of the table came once and at its time, by the page and by mail,
// and none to somebody who may not know.
//
// What is expected comes from a model in these files, and not from the code that tells.
package year
