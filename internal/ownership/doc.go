// Package ownership tells whether files and folders are this user's alone, so
// that no other user of the machine has put, read or exchanged what a program
// finds there. On systems without Unix owners it trusts the folder, which is
// closed to other users there.
package ownership
