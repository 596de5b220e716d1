package metrics

import "errors"

var errLeftOut = errors.New("the local cluster's S3 server sends no metrics")

func newDogStatsd(...any) (publisher, error) { return nil, errLeftOut }
func newStatsd(...any) (publisher, error)    { return nil, errLeftOut }
