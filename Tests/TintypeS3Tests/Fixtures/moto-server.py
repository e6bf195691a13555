"""Runs moto's server on a free port of 127.0.0.1 until its standard input ends: see MotoServer.swift.

Prints a line of JSON, with the endpoint and the keys of its users. Its permissions and signatures are checked unless the
argument is "open": moto computes other signatures than AWS for keys with unusual characters.
"""

import json
import logging
import sys

import boto3
from moto import settings
from moto.core.authorization import ActionAuthenticatorMixin
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").disabled = True
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
endpoint = "http://%s:%d" % server.get_host_and_port()


def client(service):
    return boto3.client(
        service, "us-east-1", endpoint_url=endpoint, aws_access_key_id="setup", aws_secret_access_key="setup")


def policy(*actions, **others):
    statement = {"Effect": "Allow", "Action": actions, **others}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def create_user(name, *actions):
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName="all", PolicyDocument=policy(*actions, Resource="*"))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return [key["AccessKeyId"], key["SecretAccessKey"]]


def assume_role():
    role = iam.create_role(RoleName="role", AssumeRolePolicyDocument=policy("sts:AssumeRole", Principal={"AWS": "*"}))
    iam.put_role_policy(RoleName="role", PolicyName="all", PolicyDocument=policy("s3:*", Resource="*"))
    keys = client("sts").assume_role(RoleArn=role["Role"]["Arn"], RoleSessionName="tests")["Credentials"]
    return [keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"]]


iam, s3 = client("iam"), client("s3")
for bucket in ["photos", "versions"]:
    s3.create_bucket(Bucket=bucket)
s3.put_bucket_versioning(Bucket="versions", VersioningConfiguration={"Status": "Enabled"})
s3.put_object(Bucket="photos", Key="archived", Body=b"ice", StorageClass="GLACIER")
users = {
    "writer": create_user("writer", "s3:*"),
    "reader": create_user("reader", "s3:GetObject", "s3:ListBucket"),
    "revoked": create_user("revoked", "s3:*"),
    "temporary": assume_role(),
}
iam.delete_access_key(UserName="revoked", AccessKeyId=users["revoked"][0])
if sys.argv[1:] != ["open"]:
    ActionAuthenticatorMixin.request_count = settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
print(json.dumps({"endpoint": endpoint, "users": users}), flush=True)
sys.stdin.read()
