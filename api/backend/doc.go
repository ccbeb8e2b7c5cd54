// Package backend holds the bodies of the backend's requests and answers, as
// backend.yaml beside it describes them: the service and its clients use the
// same types. A PATCH is not among them, since its absent fields and its nulls
// mean something; nor are reports, which the domain writes as they are.
//
// Secrets of a request are secret.String: only a client's encoder writes them
// out. In an answer they are sealed, or shown this once.
package backend
