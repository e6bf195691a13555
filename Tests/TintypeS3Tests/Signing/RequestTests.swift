import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@testable import TintypeS3

/// The requests that the client sends, judged by those of the client of botocore.
@Suite struct RequestTests {
    /// Records requests, and answers each with an empty response.
    private final class Recorder: HTTPTransport {
        let requests = Shared<[TransportRequest]>([])

        private struct Exchange: TransportExchange {
            func cancel() {}
            func resume() {}
        }

        func send(_ request: TransportRequest, to response: TransportResponse) -> any TransportExchange {
            requests.withLock { $0.append(request) }
            let isPart = request.headers.contains("Range")
            let headers: HTTPFields = isPart ? ["Content-Range": "bytes 2-5/6"] : [:]
            response.receive(TransportHead(status: isPart ? 206 : 200, version: "http/1.1", headers: headers))
            response.finish()
            return Exchange()
        }
    }

    private func perform(_ call: BotocoreTable.Request, _ client: S3Client) async throws {
        let arguments = call.arguments
        let object = S3Object(
            bucket: arguments.bucket, key: arguments.key ?? "", version: arguments.versionId)
        switch call.operation {
        case "get_object":
            let range = arguments.range.map { _ in 2..<6 }
            _ = try await client.get(object, range: range, ifNoneMatch: arguments.ifNoneMatch)
        case "head_object": _ = try await client.head(object)
        case "delete_object": try await client.delete(object)
        case "head_bucket": try await client.checkBucket()
        case "put_object":
            let options = S3PutOptions(
                contentType: arguments.contentType, cacheControl: arguments.cacheControl,
                metadata: arguments.metadata ?? [:], onlyIfAbsent: arguments.ifNoneMatch == "*")
            try await client.put(Data((call.body ?? "").utf8), as: object, options)
        default: Issue.record("unknown operation \(call.operation)")
        }
    }

    @Test func everyRequestIsThatOfBotocore() async throws {
        let table = try BotocoreTable.standard.get()
        #expect(table.requests.count >= 40)
        for (number, call) in table.requests.enumerated() {
            let recorder = Recorder()
            var configuration = S3Configuration(
                bucket: call.arguments.bucket, endpoint: call.endpoint.flatMap { URL(string: $0) },
                region: call.region,
                credentials: S3Credentials(
                    accessKeyID: table.accessKeyID, secretAccessKey: table.secretAccessKey, sessionToken: call.token))
            configuration.usesPathStyle = !call.virtualHost
            configuration.transport = recorder
            let date = try BotocoreTable.date(call.date)
            configuration.clock.date = { date }
            try await perform(call, try S3Client(configuration))
            let sent = try #require(recorder.requests.now.first, "request \(number)")
            #expect(recorder.requests.now.count == 1 && sent.method == call.method, "request \(number)")
            #expect(sent.url.absoluteString == call.url, "request \(number)")
            #expect(sent.headers["Authorization"] == call.authorization, "request \(number)")
            for (name, value) in call.signed where name != "host" {
                #expect(sent.headers[name] == value, "request \(number)")
            }
        }
    }

    @Test func withoutKeysNothingIsSigned() async throws {
        let recorder = Recorder()
        var configuration = S3Configuration(bucket: "photos", endpoint: URL(string: "http://127.0.0.1:1"))
        configuration.transport = recorder
        _ = try await S3Client(configuration).get(S3Object(bucket: "photos", key: "a"))
        #expect(recorder.requests.now.map(\.headers.all.count) == [0])
    }

    @Test(arguments: [
        ("http://127.0.0.1:1", false, true), ("https://127.0.0.1:1", false, false), ("https://127.0.0.1:1", true, true),
    ])
    func theBodyIsUnsignedOnlyOverTLS(endpoint: String, signsBody: Bool, isSigned: Bool) async throws {
        let recorder = Recorder()
        var configuration = S3Configuration(
            bucket: "photos", endpoint: URL(string: endpoint),
            credentials: S3Credentials(accessKeyID: "k", secretAccessKey: "s"))
        configuration.transport = recorder
        let data = Data("some bytes".utf8)
        try await S3Client(configuration).put(
            data, as: S3Object(bucket: "photos", key: "a"), S3PutOptions(signsBody: signsBody))
        let hash = recorder.requests.now.first?.headers["x-amz-content-sha256"]
        #expect(hash == (isSigned ? SHA256Digest.hexadecimal(of: data) : "UNSIGNED-PAYLOAD"))
    }

    @Test func newKeysSignLaterRequests() async throws {
        let recorder = Recorder()
        var configuration = S3Configuration(
            bucket: "photos", endpoint: URL(string: "http://127.0.0.1:1"),
            credentials: S3Credentials(accessKeyID: "old", secretAccessKey: "s"))
        configuration.transport = recorder
        let client = try S3Client(configuration)
        try await client.checkBucket()
        client.credentials = S3Credentials(accessKeyID: "new", secretAccessKey: "s", sessionToken: "t")
        try await client.checkBucket()
        let sent = recorder.requests.now
        #expect(sent.map { $0.headers["Authorization"]?.contains("Credential=old/") } == [true, false])
        #expect(sent.map { $0.headers["x-amz-security-token"] } == [nil, "t"])
    }

    @Test(arguments: [
        S3PutOptions(contentType: "text/plain\r\nx-amz-acl: public-read"), S3PutOptions(cacheControl: "caché"),
        S3PutOptions(metadata: ["a b": "1"]), S3PutOptions(metadata: ["": "1"]),
        S3PutOptions(metadata: ["a": "line\nbreak"]),
        S3PutOptions(metadata: ["a": String(repeating: "x", count: 2048)]),
    ])
    func invalidOptionsAreRefusedBeforeARequest(options: S3PutOptions) async throws {
        let recorder = Recorder()
        var configuration = S3Configuration(bucket: "photos", endpoint: URL(string: "http://127.0.0.1:1"))
        configuration.transport = recorder
        let client = try S3Client(configuration)
        await expectError(.invalidSource) {
            try await client.put(Data(), as: S3Object(bucket: "photos", key: "a"), options)
        }
        #expect(recorder.requests.now.isEmpty)
    }

    @Test func keysWithALineBreakAreRefusedBeforeARequest() async throws {
        let recorder = Recorder()
        var configuration = S3Configuration(
            bucket: "photos", endpoint: URL(string: "http://127.0.0.1:1"),
            credentials: S3Credentials(accessKeyID: "k", secretAccessKey: "s", sessionToken: "t\r\nHost: other"))
        configuration.transport = recorder
        let client = try S3Client(configuration)
        await expectError(.invalidSource) { try await client.checkBucket() }
        #expect(recorder.requests.now.isEmpty)
    }
}
