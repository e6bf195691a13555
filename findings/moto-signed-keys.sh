#!/bin/bash
# moto refuses requests that AWS's own SDK has signed, for some keys of objects
#
# moto plays AWS for tests, and with its checks of permissions switched on it also
# verifies signatures: a wrong secret is refused as AWS refuses it. So a refusal looks
# like a defect of the client under test. But a plus sign, a percent sign, a colon, an
# equals sign, a backslash or a letter outside of ASCII in a key makes the signature of
# botocore itself "wrong". Spaces, question marks, tildes and doubled slashes are
# accepted, so a test with "an odd key" may pass. Without the checks, all of these keys
# are stored.
#
# Seen with moto 5.2.1 and boto3 1.44.8 on CPython 3.11:
#   photo.jpg, a b.jpg, a?b.jpg, a~b.jpg, a//b.jpg: stored
#   a+b.jpg, 100%.jpg, 12:30.jpg, w=100.jpg, a\b.jpg, größe.jpg: SignatureDoesNotMatch
#   without checks: all 11 stored
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    'moto[s3]==5.2.1' boto3==1.44.8 flask==3.1.3 flask-cors==6.0.2 werkzeug==3.1.9
cd "$work"
env -i PATH="$PATH" HOME="$work" "$work/venv/bin/python" - <<'PY'
import json, logging, sys
from importlib.metadata import version

import boto3
from botocore.exceptions import ClientError
from moto import settings
from moto.core.authorization import ActionAuthenticatorMixin
from moto.server import ThreadedMotoServer

print("moto", version("moto"), "boto3", version("boto3"))
if version("moto") != "5.2.1" or version("boto3") != "1.44.8":
    sys.exit(2)

logging.getLogger("werkzeug").disabled = True
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
endpoint = "http://%s:%d" % server.get_host_and_port()

def client(service, key="setup", secret="setup"):
    return boto3.client(service, "us-east-1", endpoint_url=endpoint, aws_access_key_id=key,
                        aws_secret_access_key=secret)

def store(s3, key):
    try:
        s3.put_object(Bucket="photos", Key=key, Body=b"bytes")
        return "stored"
    except ClientError as error:
        return error.response["Error"]["Code"]

accepted = ["photo.jpg", "a b.jpg", "a?b.jpg", "a~b.jpg", "a//b.jpg"]
refused = ["a+b.jpg", "100%.jpg", "12:30.jpg", "w=100.jpg", "a\\b.jpg", "größe.jpg"]
try:
    setup, iam = client("s3"), client("iam")
    setup.create_bucket(Bucket="photos")
    unchecked = [store(setup, key) for key in accepted + refused]
    iam.create_user(UserName="user")
    allowed = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    iam.put_user_policy(UserName="user", PolicyName="all", PolicyDocument=json.dumps(allowed))
    keys = iam.create_access_key(UserName="user")["AccessKey"]
    # What the environment variable INITIAL_NO_AUTH_ACTION_COUNT counts down to.
    ActionAuthenticatorMixin.request_count = settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    user = client("s3", keys["AccessKeyId"], keys["SecretAccessKey"])
    wrong = store(client("s3", keys["AccessKeyId"], "wrong"), "photo.jpg")
    checked = {key: store(user, key) for key in accepted + refused}
finally:
    server.stop()
for key, result in checked.items():
    print(f"{key}: {result}")
print("without checks:", "all stored" if set(unchecked) == {"stored"} else unchecked)
print("a wrong secret:", wrong)
as_described = (all(checked[key] == "stored" for key in accepted)
                and all(checked[key] == "SignatureDoesNotMatch" for key in refused)
                and set(unchecked) == {"stored"} and wrong == "SignatureDoesNotMatch")
sys.exit(0 if as_described else 1)
PY
