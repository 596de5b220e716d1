package s3event

import (
	"errors"
	"strconv"
	"time"
)

var errLeftOut = errors.New("the local cluster's S3 server sends events to webhooks only")

func InitKafkaEventService(...any) (S3EventSender, error)    { return nil, errLeftOut }
func InitNatsEventService(...any) (S3EventSender, error)     { return nil, errLeftOut }
func InitRabbitmqEventService(...any) (S3EventSender, error) { return nil, errLeftOut }

func genSequencer() string { return strconv.FormatInt(time.Now().UnixNano(), 16) }
