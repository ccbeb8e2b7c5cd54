// Package s3server runs a real S3 server for tests: versitygw (test/tools/versitygw),
// which keeps objects as files and checks every signature. It listens on loopback,
// over HTTP and over TLS with a certificate of its own, and never outlives the test
// process, however that ends.
//
// A Proxy in between loses what a network may lose, and answers in the store's place.
package s3server
