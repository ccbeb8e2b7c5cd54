// Package s3 stores objects in a bucket of Amazon S3 or a compatible store (MinIO,
// Ceph, versitygw). It only uses its Options, the proxy in the environment
// (HTTPS_PROXY), and the system's CA certificates.
//
// # Permissions of the access key ID
//
// On the bucket itself (arn:aws:s3:::BUCKET):
//
//   - s3:ListBucket, to list backups, and to tell a missing object from a forbidden one
//   - s3:ListBucketMultipartUploads, to find leftovers of killed uploads
//   - s3:GetBucketVersioning, to warn that deleted backups stay as versions
//
// On its objects (arn:aws:s3:::BUCKET/PREFIX*):
//
//   - s3:PutObject
//   - s3:GetObject, also used to sign links
//   - s3:DeleteObject
//   - s3:AbortMultipartUpload
//   - s3:PutObjectRetention, with Object Lock
//   - s3:GetObjectRetention, s3:GetObjectLegalHold, if the bucket keeps versions: to see
//     whether one may be deleted
//
// With encryption by an AWS KMS key, on that key: kms:GenerateDataKey and kms:Decrypt.
//
// # All or nothing
//
// Content smaller than a part is sent in one request, more in several parts
// (multipart upload), which S3 joins at the end. Each upload has its own mark in the
// object's metadata. If the last answer is lost, the mark shows whether an existing
// object is this one. Both final requests are conditional (If-None-Match), for
// stores that support it; others are asked beforehand.
//
// A request is tried five times. Once all attempts of one got no answer, later
// requests (what happened to the upload, its end, its removal) share a few retries
// until the store answers again: a store that refuses connections is reported within half a minute.
//
// A failed upload is aborted. A killed one leaves parts, which are never listed, but
// take up space until Sweep; a lifecycle rule of the bucket
// (AbortIncompleteMultipartUpload) does the same. MinIO does not list uploads by key
// prefix, and removes those older than a day itself.
package s3
