// Uses the client that openapi-generator generates.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	zips "example.com/zipjobs/client"
)

var (
	api = newAPI()
	ctx = context.WithValue(context.Background(), zips.ContextAccessToken, os.Getenv("ZIPJOBS_TOKEN"))
)

func newAPI() *zips.ZipsAPIService {
	configuration := zips.NewConfiguration()
	configuration.Servers = zips.ServerConfigurations{{URL: os.Getenv("ZIPJOBS_URL")}}
	return zips.NewAPIClient(configuration).ZipsAPI
}

func create(bucket string) (*zips.ZipResponse, error) {
	file := zips.NewFileEntry(os.Getenv("SOURCE"), "a.txt")
	request := zips.NewZipRequest([]zips.FileEntry{*file}, bucket, os.Getenv("KEY"))
	request.SetMetadata(map[string]any{"any": []string{"thing"}})
	response, _, err := api.CreateZip(ctx).ZipRequest(*request).Execute()
	return response, err
}

func main() {
	response, err := create(os.Getenv("BUCKET"))
	for err == nil && (response.Data.Status == "none" || response.Data.Status == "processing") {
		time.Sleep(500 * time.Millisecond)
		response, _, err = api.ReadZip(ctx, response.Data.Uuid).Expand([]string{"archive", "job"}).Execute()
	}
	if err != nil {
		log.Fatal(err)
	}
	zip := response.Data
	metadata, _ := json.Marshal(zip.Metadata)
	archive, times := zip.GetArchive(), zip.GetJob()
	fmt.Println(zip.Status, archive.Files, !times.GetFinishedAt().IsZero(), string(metadata))

	_, err = create("missing")
	var failure *zips.GenericOpenAPIError
	if !errors.As(err, &failure) {
		log.Fatalf("no error of the API: %v", err)
	}
	reported := failure.Model().(zips.ErrorResponse).Error
	fmt.Println(reported.Type, reported.Code, reported.GetParam(), reported.Message != "")
}
