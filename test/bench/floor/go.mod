module floor.zipjobs.dev

go 1.25.0

require github.com/aws/aws-sdk-go-v2 v1.45.1

require github.com/aws/smithy-go v1.28.1 // indirect
