package driver

import "errors"

func NewSQL(...any) (*Memory, error) {
	return nil, errors.New("the local cluster's helm stores releases in the cluster only")
}
