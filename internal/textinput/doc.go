// Package textinput brings text that people type, paste and export into the one form in
// which it is stored and compared:
//
//   - a line, such as a label, a reason or a host name, that cannot pass for something
//     else in lists, logs and audit entries (ValidLine, CleanLine), and text of any
//     length (Storable);
//   - a name compared regardless of case and of how Unicode encodes a character (Fold);
//   - files and bodies that begin with a byte order mark, and PEM that is indented
//     (Unmarked, ReadFile, PEM, Certificates).
//
// It is a leaf: everything that reads what people wrote uses it.
package textinput
