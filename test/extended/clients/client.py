"""Uses the client that openapi-generator generates."""

import json
import os
import time

import openapi_client as zips

env = os.environ
configuration = zips.Configuration(host=env["ZIPJOBS_URL"], access_token=env["ZIPJOBS_TOKEN"])
api = zips.ZipsApi(zips.ApiClient(configuration))


def create(bucket):
    request = zips.ZipRequest(
        urls=[
            zips.FileEntry(url=env["SOURCE"], filename="a.txt", size=int(env["SIZE"]), crc32=env["CRC32"]),
            zips.FileEntry(url=env["OBJECT"], filename="a.txt"),
        ],
        duplicate_names="rename",
        bucket_name=bucket,
        key=env["KEY"],
        metadata={"any": ["thing"]},
    )
    return api.create_zip(request).data


zip_job = create(env["BUCKET"])
while zip_job.status in ("none", "processing"):
    time.sleep(0.5)
    zip_job = api.read_zip(zip_job.uuid, expand=["archive", "job", "webhook"]).data
finished = "true" if zip_job.job.finished_at is not None else "false"
print(zip_job.status, zip_job.archive.files, finished, json.dumps(zip_job.metadata, separators=(",", ":")))
archive = zip_job.archive
print(archive.renamed_total, archive.renamed[0].file_index, archive.renamed[0].name)
print(zip_job.webhook.endpoints[0].name)
print(*json.loads(api.read_zip_with_http_info(zip_job.uuid).raw_data)["data"])

try:
    create("missing")
except zips.ApiException as exception:
    error = exception.data.error
    print(error.type, error.code, error.param, "true" if error.message else "false")
