package archive

import (
	"errors"

	"github.com/keyward/keyward/internal/fault"
)

// malformed says, for the log, how a file violates the format. It never quotes the file.
type malformed string

func (m malformed) Error() string { return string(m) }

// errTooLarge is the error for a payload above the limit.
var errTooLarge = errors.New("the payload has more bytes than the format allows")

func notABackup() error {
	return fault.New(fault.NotABackup, "", "This file is not a Keyward backup. Choose one that Keyward created: "+
		"its name starts with backup- and ends in .enc.")
}

// Newer is the fault for a backup of a later version.
func Newer(cause error) error {
	return fault.New(fault.BackupNewer, "", "This backup was created by a newer version of Keyward. Restore it "+
		"with that version or a later one.").
		With(cause)
}

func truncated(cause error) error {
	return fault.New(fault.BackupTruncated, "", "The backup file is incomplete. Download it again. If that "+
		"doesn't help, restore another backup.").With(cause)
}

func corruptHeader(cause error) error {
	return fault.New(fault.BackupCorrupt, "header", "The beginning of the backup file is damaged. Download it "+
		"again. If that doesn't help, restore another backup.").With(cause)
}

func corruptData() error {
	return fault.New(fault.BackupCorrupt, "checksum", "The backup file is damaged or incomplete: its checksum is "+
		"wrong. Download it again. If that doesn't help, restore another backup.")
}

func corruptPayload(cause error) error {
	return fault.New(fault.BackupCorrupt, "payload", "The password opens this backup, but its content is not a "+
		"backup. Restore another one, and find out which program created this one.").With(cause)
}

func headersDiffer(field string) error {
	return fault.Newf(fault.BackupCorrupt, "headers_differ", "Someone changed the beginning of this backup file: "+
		"its {field} is not the one that was encrypted with the data. Restore another backup, and find out who "+
		"can write to the backup store.",
		fault.Params{"field": field})
}

func changed() error {
	return fault.New(fault.BackupCorrupt, "changed", "The backup file changed while it was being read. Try "+
		"again. If it happens again, check the disk that it is on.")
}

func wrongPassword() error {
	return fault.New(fault.BackupPasswordWrong, "", "The password doesn't open this backup. Enter the one that "+
		"was set when the backup was created; it is case-sensitive. If you are sure it is right, the file is "+
		"damaged: restore another backup.")
}

func payloadTooLarge() error {
	return fault.Newf(fault.BackupTooLarge, "payload", "The data is larger than a backup can be ({max} GiB). "+
		"Leave the audit log out of backups and export it instead.", fault.Params{"max": MaxPayload >> 30}).With(errTooLarge)
}

func fileTooLarge() error {
	return fault.Newf(fault.BackupTooLarge, "file", "This file is larger than a backup can be ({max} GiB), so it "+
		"was not read. Restore another backup.", fault.Params{"max": MaxPayload >> 30}).With(errTooLarge)
}
