package archive

import (
	"errors"

	"github.com/keyward/keyward/internal/fault"
)

// malformed says, for the log, in what a file breaks the format. It never repeats any of
// what is in the file.
type malformed string

func (m malformed) Error() string { return string(m) }

// errTooLarge is what a payload of more than the limit gives.
var errTooLarge = errors.New("the payload has more bytes than the format allows")

func notABackup() error {
	return fault.New(fault.NotABackup, "", "This file is no Keyward backup. Choose one that Keyward made: its name begins with backup- "+
		"and ends in .enc.")
}

// Newer says that a backup is of a version to come.
func Newer(cause error) error {
	return fault.New(fault.BackupNewer, "", "A newer version of Keyward made this backup. Restore it with that version, or a later one.").
		With(cause)
}

func truncated(cause error) error {
	return fault.New(fault.BackupTruncated, "", "The backup file is cut short. Fetch it again from where it is kept; if it stays so, "+
		"restore another backup.").With(cause)
}

func corruptHeader(cause error) error {
	return fault.New(fault.BackupCorrupt, "header", "The beginning of the backup file is damaged. Fetch it again from where it is kept; "+
		"if it stays so, restore another backup.").With(cause)
}

func corruptData() error {
	return fault.New(fault.BackupCorrupt, "checksum", "The backup file is damaged or cut short: its checksum is another. Fetch it again "+
		"from where it is kept; if it stays so, restore another backup.")
}

func corruptPayload(cause error) error {
	return fault.New(fault.BackupCorrupt, "payload", "The password opens this backup, but its content does not have the form of one. "+
		"Restore another backup, and ask whoever made this one with which program.").With(cause)
}

func headersDiffer(field string) error {
	return fault.Newf(fault.BackupCorrupt, "headers_differ", "Somebody changed the beginning of this backup file: its {field} is not the one "+
		"that was encrypted with the data. Restore another backup, and find out who can write where the backups are kept.",
		fault.Params{"field": field})
}

func changed() error {
	return fault.New(fault.BackupCorrupt, "changed", "The backup file changed while it was being read. Try again; if it stays so, check the "+
		"disk that it is on.")
}

func wrongPassword() error {
	return fault.New(fault.BackupPasswordWrong, "", "The password does not open this backup. Type the one that was set when the backup was "+
		"made; upper and lower case differ. If it surely is that one, the file is damaged: restore another backup.")
}

func payloadTooLarge() error {
	return fault.Newf(fault.BackupTooLarge, "payload", "The data is more than a backup holds ({max} GiB). Leave the audit log out of "+
		"backups, and keep it by exports.", fault.Params{"max": MaxPayload >> 30}).With(errTooLarge)
}

func fileTooLarge() error {
	return fault.Newf(fault.BackupTooLarge, "file", "This file holds more than a backup may ({max} GiB), so it is not read. Restore another "+
		"backup.", fault.Params{"max": MaxPayload >> 30}).With(errTooLarge)
}
