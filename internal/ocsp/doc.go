// Package ocsp answers what relying parties ask about single certificates (RFC 6960, RFC 5019,
// RFC 9654), beside the CRL of package pki.
//
//	request ─parse─▶ CertIDs ─▶ status of each (package cert's records) ─sign─▶ response
//	                    └─ one CertID, no nonce ─▶ cache ─┬─ half its life, or a revocation ─▶ signed anew
//	                                                      └─ before ─▶ the same bytes again
//
// Every server has a signer of its own for each CA (Signer): a key in memory, which that CA certifies for
// thirty days, for OCSP alone.
//
//	none ──certify──▶ current ──20 days──▶ due ──certify──▶ current
//	                                        └─vault away──▶ due ──end──▶ none (tryLater)
//
// The cache is emptied whenever any server has revoked something (Responder.Follow), so that a
// revocation is in every answer within a second, whoever recorded it.
//
// Routes: POST /api/pki/ocsp, GET /api/pki/ocsp/{base64}.
package ocsp
