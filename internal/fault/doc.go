// Package fault has the one error type that crosses Keyward's layers: a stable
// code for programs, a detail for people, and a private cause that only the log
// sees.
//
// A Sentence is the same for texts to people that are no errors.
//
// Domain packages return faults; only package problem turns them into HTTP
// answers. An error that is no fault is a bug or an outage, and becomes a 500
// without detail.
package fault
