package vault

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"time"
)

// OCSPPath is where OCSP requests are answered, below the base of the addresses in certificates.
const OCSPPath = "/api/pki/ocsp"

// ResponderTTL is the lifetime of an OCSP signer's certificate.
const ResponderTTL = 30 * 24 * time.Hour

// ResponderBackdate is how far its notBefore lies in the past, for relying parties whose clocks are slow:
// a new signer is in use at once.
const ResponderBackdate = time.Hour

// ResponderName is its subject's CN.
const ResponderName = "Keyward OCSP"

// NoCheck is the extension id-pkix-ocsp-nocheck (RFC 6960, section 4.2.2.2.1).
func NoCheck() pkix.Extension {
	return pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}, Value: asn1.NullBytes}
}
