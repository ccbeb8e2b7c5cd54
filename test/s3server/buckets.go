package s3server

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/keyward/keyward/test/must"
)

func (s *Server) client() *s3.Client {
	return s3.New(s3.Options{
		Region: Region, BaseEndpoint: &s.Plain, UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: AccessKeyID, SecretAccessKey: SecretKey}, nil
		}),
	})
}

// Locking creates a bucket with Object Lock, for one test.
func (s *Server) Locking(t testing.TB) string {
	t.Helper()
	name := s.name()
	must.Get(s.client().CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name, ObjectLockEnabledForBucket: aws.Bool(true)}))(t)
	return name
}

// Versioned turns on a bucket's versioning.
func (s *Server) Versioned(t testing.TB, bucket string) {
	t.Helper()
	must.Get(s.client().PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{
		Bucket: &bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	}))(t)
}

// LockAll makes a bucket with Object Lock lock new objects for a day.
func (s *Server) LockAll(t testing.TB, bucket string) {
	t.Helper()
	rule := &types.DefaultRetention{Mode: types.ObjectLockRetentionModeGovernance, Days: aws.Int32(1)}
	must.Get(s.client().PutObjectLockConfiguration(t.Context(), &s3.PutObjectLockConfigurationInput{
		Bucket: &bucket, ObjectLockConfiguration: &types.ObjectLockConfiguration{
			ObjectLockEnabled: types.ObjectLockEnabledEnabled, Rule: &types.ObjectLockRule{DefaultRetention: rule},
		},
	}))(t)
}
