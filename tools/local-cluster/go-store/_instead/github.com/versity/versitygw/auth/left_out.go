package auth

import "errors"

var errLeftOut = errors.New("the local cluster's S3 server knows its root account only")

func NewLDAPService(...any) (IAMService, error)     { return nil, errLeftOut }
func NewS3(...any) (IAMService, error)              { return nil, errLeftOut }
func NewVaultIAMService(...any) (IAMService, error) { return nil, errLeftOut }
