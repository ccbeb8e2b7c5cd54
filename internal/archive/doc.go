// Package archive is the format of backup files, and nothing else: what stands in
// one, and where it is kept, is package backup's matter. docs/backup-format.md has the
// format byte by byte (specification, "Backup file"; contract, "Backup and restore").
//
//	Create ─▶ Writer ── Database() io.Writer, Secret(path, data) … ── Close ─▶ Contents
//
//	JSON ─▶ gzip ─▶ AES-256-GCM ─▶ the file, an io.WriterAt; the header's checksum is written last
//
//	Open ─▶ Archive ── Header, Contents, Read(fn, fn)
//
// Nothing but the encrypted file ever holds the whole of a backup: both ways work in
// pieces of 64 KiB, whatever its size. Beside these, a derivation of the key (Create, Open,
// Probe) takes 64 MiB for a moment, and a backup with secrets the list of their paths. So
// whoever lets people try passwords bounds how many do so at once.
//
// Open reads the file to its end and checks all of it: the checksum, the tag, and then,
// decrypted, that the payload has its form to the last byte. Only then is anything handed
// out; OpenUsing does so while it looks at the form, for whoever can forget it again. Probe
// looks at the first bytes alone: a hint for whoever types a password.
//
// Files that are not as they must be are faults (package fault): not_a_backup,
// backup_newer, backup_truncated, backup_corrupt, backup_password_wrong and
// backup_too_large. Whatever else is returned came from the file's reader or writer, or
// from the function that was handed in.
package archive
