// Package s3server runs a real S3 server for tests: versitygw (test/tools/versitygw),
// which stores objects as files and checks every signature. It listens on loopback,
// over HTTP and over TLS with its own certificate, and never outlives the test process,
// however that ends.
//
// A Proxy in between loses what a network may lose, and answers for the store.
package s3server
