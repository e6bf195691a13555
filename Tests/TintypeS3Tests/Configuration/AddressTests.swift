import Foundation
import TestSupport
import Testing
import TintypeCore

@testable import TintypeS3

/// Endpoints, names of objects and `s3:` URLs.
@Suite struct AddressTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(arguments: [
        ("http://127.0.0.1:8333", "127.0.0.1:8333", ""), ("http://Store.Example.org:80/", "store.example.org", ""),
        ("https://store:443", "store", ""), ("https://store:80", "store:80", ""),
        ("http://[::1]:9000", "[::1]:9000", ""),
        ("HTTPS://x/storage/v1/s3//", "x", "/storage/v1/s3"),
    ])
    func anEndpointHasTheHostThatTheTransportSends(text: String, host: String, path: String) throws {
        let endpoint = try S3Endpoint(url(text), usesPathStyle: true)
        #expect(endpoint.authority == host && endpoint.basePath == path)
        #expect(endpoint.address(bucket: "b", key: "k").path == "\(path)/b/k")
    }

    @Test(arguments: [
        "ftp://store", "store:8333", "http://user@store", "http://user:word@store", "http://store?a", "http://store#a",
        "file:///a", "http://:80",
    ])
    func whatIsNotTheURLOfAStoreIsRefused(text: String) throws {
        let endpoint = try url(text)
        expectError(.invalidSource) { try S3Endpoint(endpoint, usesPathStyle: true) }
    }

    @Test(arguments: [
        ("us-east-1", "photos", "photos.s3.us-east-1.amazonaws.com", "/a"),
        ("cn-north-1", "photos", "photos.s3.cn-north-1.amazonaws.com.cn", "/a"),
        ("eu-west-1", "with.dot", "s3.eu-west-1.amazonaws.com", "/with.dot/a"),
        ("eu-west-1", "Upper_case", "s3.eu-west-1.amazonaws.com", "/Upper_case/a"),
    ])
    func onAWSTheBucketIsInTheHostIfItCanBe(region: String, bucket: String, host: String, path: String) throws {
        let address = try S3Endpoint(region: region, usesPathStyle: false).address(bucket: bucket, key: "a")
        #expect(address.host == host && address.path == path && address.scheme == "https")
    }

    @Test(arguments: [
        "", "us east", "us-east-1.evil.example", "us/east", "US-EAST-1", String(repeating: "a", count: 65),
    ])
    func whatIsNotARegionIsRefused(region: String) throws {
        expectError(.invalidSource) { try S3Client(S3Configuration(bucket: "photos", region: region)) }
        let endpoint = try url("http://127.0.0.1:1")
        expectError(.invalidSource) {
            try S3Client(S3Configuration(bucket: "photos", endpoint: endpoint, region: region))
        }
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a b", "a?b", "a%2Fb", "é", "a:b", "a@b", String(repeating: "a", count: 256),
    ])
    func whatIsNotABucketIsRefused(bucket: String) {
        expectError(.invalidSource) { try S3Client(S3Configuration(bucket: bucket)) }
        expectError(.invalidSource) { try S3Object(bucket: bucket, key: "a").validate() }
    }

    @Test(arguments: [
        "", ".", "..", "a/../b", "../a", "a/..", "a/./b", "a//../b", "..\\a", "a\\..\\b", "a/..\\b",
        String(repeating: "é", count: 513),
    ])
    func keysThatAServerMayResolveAreRefused(key: String) {
        expectError(.invalidSource) { try S3Object(bucket: "photos", key: key).validate() }
    }

    @Test(arguments: [
        "a", "...", "..a", "a..", "/a", "a/", "a//b", " ", "%2E%2E", "é", String(repeating: "é", count: 512),
    ])
    func otherKeysAreValid(key: String) throws {
        try S3Object(bucket: "photos", key: key).validate()
        let address = try S3Endpoint(url("http://h"), usesPathStyle: true).address(bucket: "photos", key: key)
        #expect(try address.url(query: "").absoluteString == "http://h\(address.path)")
    }

    @Test(
        arguments: [
            ("s3://photos/a.png", "photos", "a.png", nil), ("S3://photos/a/b/c", "photos", "a/b/c", nil),
            ("s3://photos/a%20b%2B%25+", "photos", "a b+%+", nil), ("s3://photos//a", "photos", "/a", nil),
            ("s3://photos/a/", "photos", "a/", nil), ("s3://photos/%D0%BA", "photos", "к", nil),
            ("s3://photos/a%3Fb%23c", "photos", "a?b#c", nil), ("s3://photos/a?v1", "photos", "a", "v1"),
            ("s3://photos/a?v%2B/1=", "photos", "a", "v+/1="), ("s3://photos/a?", "photos", "a", nil),
            ("s3://Photos_2.x/a", "Photos_2.x", "a", nil), ("s3://photos/a%2Fb", "photos", "a/b", nil),
        ] as [(String, String, String, String?)])
    func aURLNamesABucketAKeyAndAVersion(text: String, bucket: String, key: String, version: String?) throws {
        #expect(S3Object(try url(text)) == S3Object(bucket: bucket, key: key, version: version))
    }

    @Test(arguments: [
        "s3:photos/a", "s3:///a", "s3://photos", "s3://photos/", "s3://user@photos/a", "s3://photos:80/a",
        "s3://photos/a#b", "s3://photos/%FF", "s3://photos/a?%FF", "http://photos/a",
    ])
    func otherURLsNameNoObject(text: String) throws {
        #expect(S3Object(try url(text)) == nil)
    }

    @Test func bucketsAreAllowedOrDenied() {
        #expect(S3Buckets.only(["a"]).allows("a") && !S3Buckets.only(["a"]).allows("b"))
        #expect(!S3Buckets.only(["a"]).allows("A") && !S3Buckets.only([]).allows("a"))
        #expect(S3Buckets.all(except: ["a"]).allows("b") && !S3Buckets.all(except: ["a"]).allows("a"))
        #expect(!S3Buckets(allowed: ["a"], denied: ["a"]).allows("a"))
    }

    @Test func theEnvironmentNamesTheEndpointAndTheRegion() throws {
        let keys = ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"]
        let plain = try S3Configuration(bucket: "photos", environment: keys)
        #expect(plain.endpoint == nil && plain.region == "us-east-1" && !plain.usesPathStyle)
        let own = try S3Configuration(
            bucket: "photos",
            environment: keys.merging([
                "AWS_ENDPOINT_URL": "http://a:1", "AWS_ENDPOINT_URL_S3": "http://b:2", "AWS_REGION": "",
                "AWS_DEFAULT_REGION": "eu-west-1",
            ]) { $1 })
        #expect(own.endpoint?.absoluteString == "http://b:2" && own.region == "eu-west-1" && own.usesPathStyle)
        #expect(own.credentials?.accessKeyID == "k")
    }
}
