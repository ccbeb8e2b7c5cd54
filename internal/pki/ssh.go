package pki

import (
	"crypto/x509"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// SSHKey is the key of a certificate (DER) as a line of OpenSSH's authorized_keys. Its comment is
// the certificate's common name and whatever follows.
func SSHKey(der []byte, comment string) (string, error) {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return "", err
	}
	key, err := ssh.NewPublicKey(cert.PublicKey)
	if err != nil {
		return "", fault.New(fault.Conflict, "no_ssh_key", "OpenSSH has no keys of this type.").With(err)
	}
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	return line + " " + textinput.CleanLine(cert.Subject.CommonName) + " " + comment + "\n", nil
}
