// Package roles holds the wired server to the table of package access: every
// operation of api/backend.yaml, as everybody, on everybody's things.
package roles
