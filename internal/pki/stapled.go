package pki

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"slices"
)

// Extensions of a CSR with its key's attestation: the slot's certificate (powershellYK, and
// yubico-piv-tool with --attestation), and that of slot F9.
var (
	stapledSlot = []asn1.ObjectIdentifier{yubicoOID(1), yubicoOID(11)}
	stapledF9   = yubicoOID(2)
)

// StapledAttestation is the attestation in a CSR's extensions, as two PEM blocks; nil unless both
// are there.
func StapledAttestation(extensions []pkix.Extension) []string {
	var slot, f9 []byte
	for _, e := range extensions {
		switch {
		case slices.ContainsFunc(stapledSlot, e.Id.Equal):
			slot = e.Value
		case e.Id.Equal(stapledF9):
			f9 = e.Value
		}
	}
	if slot == nil || f9 == nil {
		return nil
	}
	return []string{certificatePEM(slot), certificatePEM(f9)}
}

func certificatePEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// IsStapled reports whether an extension of a CSR is part of an attestation.
func IsStapled(id asn1.ObjectIdentifier) bool {
	return id.Equal(stapledF9) || slices.ContainsFunc(stapledSlot, id.Equal)
}
