// Uses the client that openapi-generator generates.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
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
	size, err := strconv.ParseInt(os.Getenv("SIZE"), 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	file := zips.NewFileEntry(os.Getenv("SOURCE"), "a.txt")
	file.SetSize(size)
	file.SetCrc32(os.Getenv("CRC32"))
	object := zips.NewFileEntry(os.Getenv("OBJECT"), "a.txt")
	request := zips.NewZipRequest([]zips.FileEntry{*file, *object}, bucket, os.Getenv("KEY"))
	request.SetDuplicateNames("rename")
	request.SetMetadata(map[string]any{"any": []string{"thing"}})
	response, _, err := api.CreateZip(ctx).ZipRequest(*request).Execute()
	return response, err
}

// Fails if the response has other fields than these, or lacks one.
func printDefaultFields(uuid string) {
	_, response, err := api.ReadZip(ctx, uuid).Execute()
	if err != nil {
		log.Fatal(err)
	}
	var strict struct {
		Data struct {
			Uuid, Status string
			Metadata     json.RawMessage
		}
	}
	decoder := json.NewDecoder(response.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&strict); err != nil {
		log.Fatal(err)
	}
	if strict.Data.Uuid != uuid || strict.Data.Status == "" || strict.Data.Metadata == nil {
		log.Fatalf("a field is missing: %+v", strict)
	}
	fmt.Println("uuid status metadata")
}

func main() {
	response, err := create(os.Getenv("BUCKET"))
	for err == nil && (response.Data.Status == "none" || response.Data.Status == "processing") {
		time.Sleep(500 * time.Millisecond)
		response, _, err = api.ReadZip(ctx, response.Data.Uuid).Expand([]string{"archive", "job", "webhook"}).Execute()
	}
	if err != nil {
		log.Fatal(err)
	}
	zip := response.Data
	metadata, _ := json.Marshal(zip.Metadata)
	archive, times := zip.GetArchive(), zip.GetJob()
	fmt.Println(zip.Status, archive.Files, !times.GetFinishedAt().IsZero(), string(metadata))
	renamed, delivery := archive.Renamed[0], zip.GetWebhook()
	fmt.Println(archive.RenamedTotal, renamed.FileIndex, renamed.Name)
	fmt.Println(delivery.Endpoints[0].Name)
	printDefaultFields(zip.Uuid)

	_, err = create("missing")
	var failure *zips.GenericOpenAPIError
	if !errors.As(err, &failure) {
		log.Fatalf("no error of the API: %v", err)
	}
	reported := failure.Model().(zips.ErrorResponse).Error
	fmt.Println(reported.Type, reported.Code, reported.GetParam(), reported.Message != "")
}
