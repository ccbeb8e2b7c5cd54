// Package agentkey is what the agent, the server and the command line share about an
// agent's two keys.
//
//	identity (Ed25519, the user's, lasting) ──signs──▶ RSA key (new at each start) ◀──sealed to── secrets
//
// Seal binds a ciphertext to one token and one field: a PIN sealed for one token cannot be
// replayed as another token's, or as a PUK (RSA-OAEP, RFC 8017, section 7.1; contract,
// "Hardware tokens and custody", sealing). Sign covers the origin of the page that asked,
// so what one site was given is of no use at another. A person compares the identity's
// code (Code, SameCode; contract, section 11, "Identity").
//
// Nothing else decides how a secret is sealed, what is signed, or which code is compared.
// testdata has examples made by other programs. It is a leaf.
package agentkey
