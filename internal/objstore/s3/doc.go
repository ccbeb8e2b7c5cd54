// Package s3 keeps objects in a bucket of Amazon S3, or of a store that speaks its
// protocol (MinIO, Ceph, versitygw). All that it uses are its Options, the proxy that the
// environment names (HTTPS_PROXY), and the system's CA certificates.
//
// # What the Access Key ID must be allowed
//
// On the bucket itself (arn:aws:s3:::BUCKET):
//
//   - s3:ListBucket, to list backups, and to tell a missing object from a forbidden one
//   - s3:ListBucketMultipartUploads, to find what killed uploads have left
//   - s3:GetBucketVersioning, to warn that deleted backups stay as versions
//
// On its objects (arn:aws:s3:::BUCKET/PREFIX*):
//
//   - s3:PutObject
//   - s3:GetObject, which is also what links are signed with
//   - s3:DeleteObject
//   - s3:AbortMultipartUpload
//   - s3:PutObjectRetention, with Object Lock
//   - s3:GetObjectRetention, s3:GetObjectLegalHold, where the bucket keeps versions: to see that
//     one may be deleted
//
// With encryption by a key of AWS KMS, on that key: kms:GenerateDataKey and
// kms:Decrypt.
//
// # All or nothing
//
// Content of less than a part goes in one request, more in several parts (multipart
// upload), which S3 makes an object of at the end. Each upload has a mark of its own
// in the object's metadata. When the last answer is lost, the mark tells whether the
// object that is there is this one. Both last requests are conditional (If-None-Match),
// for stores that know it; the others are asked beforehand.
//
// A request is tried five times. Once all tries of one had no answer, those that come
// after it (what became of the upload, its end, its removal) have few in common, until the
// store answers again: a store that refuses connections is told within half a minute.
//
// An upload that fails is aborted. One whose process was killed leaves parts, which
// are never listed and cost room until Sweep; a lifecycle rule of the bucket
// (AbortIncompleteMultipartUpload) does the same. MinIO lists no uploads by the beginning of
// their keys, and removes those of a day ago by itself.
package s3
