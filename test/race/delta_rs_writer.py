"""A writer of the race with delta-rs: options as JSON in the first argument, nothing on standard output."""

import json
import random
import sys
import time

import pyarrow as pa
from deltalake import CommitProperties, write_deltalake

SCHEMA = pa.schema([("writer", pa.string()), ("sequence", pa.int64())])


def main(options):
    storage = {
        "AWS_ENDPOINT_URL": options["endpoint"],
        "AWS_REGION": options["region"],
        "AWS_ACCESS_KEY_ID": options["credentials"]["accessKeyId"],
        "AWS_SECRET_ACCESS_KEY": options["credentials"]["secretAccessKey"],
        "AWS_ALLOW_HTTP": "true",
        "AWS_CONDITIONAL_PUT": "etag",
    }
    pauses = random.Random(options["seed"])
    retries = CommitProperties(max_commit_retries=200)
    for sequence in range(options["commits"]):
        time.sleep(pauses.uniform(0, 0.04))
        row = pa.Table.from_pylist([{"writer": options["writer"], "sequence": sequence}], schema=SCHEMA)
        write_deltalake(
            options["table"], row, mode="append", storage_options=storage, commit_properties=retries
        )


main(json.loads(sys.argv[1]))
