// Package textinput takes texts as people type, paste and export them, and gives
// them the one form in which they are kept and compared:
//
//   - a line, such as a label, a reason or a host's name, that looks like nothing
//     else in lists, log lines and audit entries (ValidLine, CleanLine); Storable is for texts
//     of any kind;
//   - a name compared without case and without the ways in which Unicode writes the
//     same character (Fold);
//   - files and bodies with a byte order mark in front, and PEM that is indented
//     (Unmarked, PEM, Certificates).
//
// It is a leaf: everything that reads what people wrote uses it.
package textinput
