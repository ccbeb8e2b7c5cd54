// Package fault holds the one error type that crosses Keyward's layers: a
// stable code that programs may test, a detail that a person may read, and a
// private cause that only the log sees.
//
// What is no error, and is said to people all the same, is a Sentence of the same kind.
//
// Domain packages return faults; nothing but package problem turns them into
// HTTP answers. An error that is no fault is a bug or an outage: it becomes a
// 500 without detail.
package fault
