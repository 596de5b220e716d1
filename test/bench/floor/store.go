package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

type access struct {
	Endpoint        string `json:"endpoint"`
	Region          string `json:"region"`
	AccessKeyID     string `json:"accessKeyId"`
	SecretAccessKey string `json:"secretAccessKey"`
}

type part struct {
	PartNumber    int
	ETag          string
	ChecksumCRC32 string
}

// The same requests as the zipper sends: parts with a CRC-32 that the store verifies, and without a signed body.
type store struct {
	client *http.Client
	at     job
	upload string
	mutex  sync.Mutex
	parts  []part
}

const payload = "UNSIGNED-PAYLOAD"

func (s *store) start(ctx context.Context) error {
	headers := map[string]string{"X-Amz-Checksum-Algorithm": "CRC32", "Content-Type": "application/zip"}
	text, _, err := s.ask(ctx, http.MethodPost, "uploads=", nil, headers)
	if err != nil {
		return err
	}
	var started struct {
		UploadID string `xml:"UploadId"`
	}
	if err := xml.Unmarshal(text, &started); err != nil {
		return err
	}
	s.upload = "uploadId=" + url.QueryEscape(started.UploadID)
	return nil
}

func (s *store) uploadPart(ctx context.Context, number int, body []byte, crc uint32) error {
	checksum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc))
	query := "partNumber=" + strconv.Itoa(number) + "&" + s.upload
	_, headers, err := s.ask(ctx, http.MethodPut, query, body, map[string]string{"X-Amz-Checksum-Crc32": checksum})
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.parts = append(s.parts, part{PartNumber: number, ETag: headers.Get("ETag"), ChecksumCRC32: checksum})
	return nil
}

func (s *store) complete(ctx context.Context) error {
	slices.SortFunc(s.parts, func(a, b part) int { return a.PartNumber - b.PartNumber })
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []part
	}{Part: s.parts})
	if err != nil {
		return err
	}
	text, _, err := s.ask(ctx, http.MethodPost, s.upload, body, nil)
	if err != nil {
		return err
	}
	// A store can report a failure after it has sent status 200.
	if bytes.Contains(text, []byte("<Error>")) {
		return fmt.Errorf("completing the upload: %s", text)
	}
	return nil
}

func (s *store) ask(ctx context.Context, method string, query string, body []byte, headers map[string]string) ([]byte, http.Header, error) {
	at := s.at.Store
	address := at.Endpoint + "/" + s.at.Bucket + "/" + s.at.Key + "?" + query
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("X-Amz-Content-Sha256", payload)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	credentials := aws.Credentials{AccessKeyID: at.AccessKeyID, SecretAccessKey: at.SecretAccessKey}
	err = v4.NewSigner().SignHTTP(ctx, credentials, request, payload, "s3", at.Region, time.Now(), func(options *v4.SignerOptions) {
		options.DisableURIPathEscaping = true
	})
	if err != nil {
		return nil, nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s ?%s: status %d: %s", method, query, response.StatusCode, text)
	}
	return text, response.Header, nil
}
