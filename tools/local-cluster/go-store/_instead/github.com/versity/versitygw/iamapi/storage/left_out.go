package storage

import "errors"

// VaultConfig is read by the code that chooses a store.
type VaultConfig struct{ EndpointURL string }

func NewVault(VaultConfig) (Storer, error) {
	return nil, errors.New("the local cluster's S3 server knows its root account only")
}
