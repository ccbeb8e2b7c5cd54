// Package agentkey is what agent, server and command line share of an agent's keys.
//
// Its RSA key, new at each start, is what secrets are sealed to: RSA-OAEP (RFC 8017,
// section 7.1) with SHA-256 for hash and MGF1, whose label binds a ciphertext to one token
// and one purpose, so that a PIN sealed for one token cannot be replayed as another
// token's, or as a PUK (Seal, Open; contract, "Hardware tokens and custody", sealing).
//
// Its identity, an Ed25519 key of the user's, vouches for the RSA key: it signs it together
// with the origin of the page that asked, so that what one site was given is of no use at
// another (Sign, Verify). A person compares the identity's code (Code, SameCode; contract,
// section 11, "Identity").
//
// Nothing else decides what is signed, which code is compared, or how a secret is sealed.
// testdata has examples that other programs made. It is a leaf.
package agentkey
