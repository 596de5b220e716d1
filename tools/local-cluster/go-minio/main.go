// An S3 server with a security token service (AssumeRoleWithWebIdentity), for the tests of buckets without keys: MinIO as it is.
package main

import (
	"os"

	minio "github.com/minio/minio/cmd"
)

func main() {
	minio.Main(os.Args)
}
