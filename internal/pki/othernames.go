package pki

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"strings"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/vault"
)

// The OIDs of names that crypto/x509 does not know.
var (
	OIDUserPrincipalName = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 20, 2, 3} // [MS-WCCE], section 2.2.2.7.7.4
	OIDKRB5PrincipalName = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 2, 2}             // RFC 4556, section 3.2.2
	OIDSIDExtension      = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 25, 2}    // [MS-WCCE], section 2.2.2.7.7.4
	OIDSID               = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 25, 2, 1}
	oidSubjectAltName    = asn1.ObjectIdentifier{2, 5, 29, 17}
)

// SIDPrefix is how a SID stands in a URI, where there is no extension for it (KB5014754).
const SIDPrefix = "tag:microsoft.com,2022-09-14:sid:"

// IsSIDURI reports whether Windows would take a URI as a SID.
func IsSIDURI(uri string) bool {
	return len(uri) >= len(SIDPrefix) && strings.EqualFold(uri[:len(SIDPrefix)], SIDPrefix)
}

// OtherNames are names of kinds that crypto/x509 does not read.
type OtherNames struct {
	UPNs       []string
	Principals []vault.Principal
	SID        string // of the extension
	Unknown    int    // alternative names that neither crypto/x509 nor this knows, or that are malformed
}

// OtherNamesOf reads them from the extensions of a certificate or CSR.
func OtherNamesOf(extensions []pkix.Extension) (n OtherNames) {
	for _, e := range extensions {
		switch {
		case e.Id.Equal(oidSubjectAltName):
			n.read(e.Value)
		case e.Id.Equal(OIDSIDExtension):
			eachName(e.Value, func(name cryptobyte.String, tag cbasn1.Tag) {
				var sid cryptobyte.String
				if id, value, ok := otherName(name, tag); ok && id.Equal(OIDSID) && value.ReadASN1(&sid, cbasn1.OCTET_STRING) && value.Empty() {
					n.SID = string(sid)
				}
			})
		}
	}
	return n
}

// known are the kinds that crypto/x509 reads: rfc822Name, dNSName, uniformResourceIdentifier, iPAddress.
var known = []cbasn1.Tag{contextTag(1), contextTag(2), contextTag(6), contextTag(7)}

func contextTag(n uint8) cbasn1.Tag { return cbasn1.Tag(n).ContextSpecific() }

func (n *OtherNames) read(extension []byte) {
	ok := eachName(extension, func(name cryptobyte.String, tag cbasn1.Tag) {
		if slices.Contains(known, tag) {
			return
		}
		id, value, ok := otherName(name, tag)
		var upn cryptobyte.String
		if ok && id.Equal(OIDUserPrincipalName) && value.ReadASN1(&upn, cbasn1.UTF8String) && value.Empty() {
			n.UPNs = append(n.UPNs, string(upn))
			return
		}
		if p, fits := principal(value); ok && fits && id.Equal(OIDKRB5PrincipalName) {
			n.Principals = append(n.Principals, p)
			return
		}
		n.Unknown++
	})
	if !ok {
		n.Unknown++
	}
}

// eachName visits the elements of a GeneralNames, each without its header, and reports whether it
// was one.
func eachName(der cryptobyte.String, visit func(name cryptobyte.String, tag cbasn1.Tag)) bool {
	var names cryptobyte.String
	if !der.ReadASN1(&names, cbasn1.SEQUENCE) || !der.Empty() {
		return false
	}
	for !names.Empty() {
		var name cryptobyte.String
		var tag cbasn1.Tag
		if !names.ReadAnyASN1(&name, &tag) {
			return false
		}
		visit(name, tag)
	}
	return true
}

// otherName reads an OtherName (RFC 5280, section 4.2.1.6).
func otherName(name cryptobyte.String, tag cbasn1.Tag) (id asn1.ObjectIdentifier, value cryptobyte.String, ok bool) {
	ok = tag == contextTag(0).Constructed() && name.ReadASN1ObjectIdentifier(&id) &&
		name.ReadASN1(&value, contextTag(0).Constructed()) && name.Empty()
	return id, value, ok
}

// principal reads a KRB5PrincipalName of one component and of the type NT-PRINCIPAL (RFC 4556,
// section 3.2.2; RFC 4120, section 6.2).
func principal(value cryptobyte.String) (p vault.Principal, ok bool) {
	var all, realm, wrapped, name, kind, parts, part cryptobyte.String
	const ntPrincipal = 1
	t := 0
	ok = value.ReadASN1(&all, cbasn1.SEQUENCE) && value.Empty() &&
		all.ReadASN1(&wrapped, contextTag(0).Constructed()) && wrapped.ReadASN1(&realm, cbasn1.GeneralString) && wrapped.Empty() &&
		all.ReadASN1(&wrapped, contextTag(1).Constructed()) && all.Empty() && wrapped.ReadASN1(&name, cbasn1.SEQUENCE) && wrapped.Empty() &&
		name.ReadASN1(&kind, contextTag(0).Constructed()) && kind.ReadASN1Integer(&t) && kind.Empty() && t == ntPrincipal &&
		name.ReadASN1(&wrapped, contextTag(1).Constructed()) && name.Empty() && wrapped.ReadASN1(&parts, cbasn1.SEQUENCE) && wrapped.Empty() &&
		parts.ReadASN1(&part, cbasn1.GeneralString) && parts.Empty()
	return vault.Principal{Name: string(part), Realm: string(realm)}, ok
}
