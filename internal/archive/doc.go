// Package archive is the format of backup files and nothing else: their contents and
// storage are the matter of package backup. docs/backup-format.md has the format
// byte by byte (specification, "Backup file"; contract, "Backup and restore").
//
//	Create ─▶ Writer ── Database() io.Writer, Secret(path, data) … ── Close ─▶ Contents
//
//	JSON ─▶ gzip ─▶ AES-256-GCM ─▶ the file, an io.WriterAt; the header's checksum is written last
//
//	Open ─▶ Archive ── Header, Contents, Read(fn, fn)
//
// Only the encrypted file ever holds a whole backup: reading and writing work in
// pieces of 64 KiB, whatever its size. In addition, deriving the key (Create, Open,
// Probe) briefly takes 64 MiB, and a backup with secrets the list of their paths. So
// callers that let people try passwords must bound how many do so at once.
//
// Open reads and checks the whole file: the checksum, the tag, and then, decrypted,
// the form of the payload to the last byte. Only then is anything handed out.
// OpenUsing hands it out during that last check, for callers that can discard it
// again. Probe reads only the first bytes: a hint for someone who types a password.
//
// Invalid files are faults (package fault): not_a_backup, backup_newer,
// backup_truncated, backup_corrupt, backup_password_wrong and backup_too_large. Any
// other error is from the file's reader or writer, or from the caller's function.
package archive
