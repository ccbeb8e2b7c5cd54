// Package lint has zlint, which is not ours, judge what the wired server publishes:
// certificates, the CA's own, and revocation lists.
package lint
