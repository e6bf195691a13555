import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@testable import TintypeS3

/// The client and a server that misbehaves.
@Suite(.timeLimited) struct MisbehavingStoreTests {
    private static let object = S3Object(bucket: "photos", key: "a")
    private static let path = "/photos/a"

    /// Limits that a busy machine does not reach.
    private static func patient(retries: Int) -> S3Limits {
        S3Limits(
            connecting: .seconds(600), firstByte: .seconds(600), idle: .seconds(600), attempt: .seconds(600),
            total: .seconds(600), maximumRetries: retries, retriesTimeouts: false)
    }

    private static func error(_ status: Int, _ code: String, _ rest: String = "") -> OriginResponse {
        OriginResponse(
            status: status, headers: [("Content-Type", "application/xml")],
            body: Data("<Error><Code>\(code)</Code>\(rest)<RequestId>ID-1</RequestId></Error>".utf8))
    }

    /// Runs a test with an origin of its own, and a client whose pauses take no time.
    private func withStore<Value>(
        limits: S3Limits = patient(retries: 1), now: Date = Date(timeIntervalSince1970: 1_700_000_000),
        credentials: S3Credentials? = S3Credentials(accessKeyID: "AKID", secretAccessKey: "SECRET-WORD"),
        _ body: (Origin, S3Client) async throws -> Value
    ) async throws -> Value {
        let origin = try await Origin.start()
        var configuration = S3Configuration(bucket: "photos", endpoint: origin.baseURL, credentials: credentials)
        configuration.requestLimits = limits
        configuration.backgroundLimits = limits
        configuration.sourceLimits = limits
        configuration.clock.date = { now }
        configuration.clock.sleep = { _ in try Task.checkCancellation() }
        let client = try S3Client(configuration)
        let result: Result<Value, any Error>
        do { result = .success(try await body(origin, client)) } catch { result = .failure(error) }
        await origin.stop()
        return try result.get()
    }

    private func failure(_ body: () async throws -> Void) async -> TintypeError? {
        do {
            try await body()
            Issue.record("expected an error")
            return nil
        } catch {
            return error as? TintypeError
        }
    }

    @Test func anOverloadedStoreIsAskedAgain() async throws {
        try await withStore { origin, client in
            origin.serve(
                Self.path, sequence: [Self.error(503, "SlowDown"), OriginResponse(body: Data("bytes".utf8))])
            let data = try await client.get(Self.object)?.data
            #expect(data == Data("bytes".utf8))
            #expect(origin.requestCount() == 2)
        }
    }

    @Test(arguments: [0, 1, 3]) func aStoreThatStaysOverloadedIsGivenUp(retries: Int) async throws {
        try await withStore(limits: Self.patient(retries: retries)) { origin, client in
            origin.serve(Self.path, response: Self.error(503, "SlowDown"))
            let error = await failure { try await client.put(Data("x".utf8), as: Self.object) }
            #expect(error?.code == .badStatus && error?.status == 503 && error?.s3?.code == "SlowDown")
            #expect(error?.stage == .store && error?.subject == "s3://photos/a")
            #expect(origin.requestCount() == retries + 1)
        }
    }

    @Test func aWrongSecretIsToldWithTheIDOfTheRequestAndNotTriedAgain() async throws {
        try await withStore { origin, client in
            origin.serve(
                Self.path,
                response: Self.error(403, "SignatureDoesNotMatch", "<StringToSign>AWS4-HMAC-SHA256 x</StringToSign>"))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.s3?.code == "SignatureDoesNotMatch" && error?.s3?.requestID == "ID-1")
            let text = error.map { "\($0)" } ?? ""
            #expect(
                text.contains("ID-1") && text.contains("check the secret access key") && text.contains("s3://photos/a"))
            #expect(!text.contains("SECRET-WORD") && !text.contains("AWS4"))
            #expect(origin.requestCount() == 1)
        }
    }

    @Test(arguments: ["GET", "HEAD"]) func aWrongClockIsCorrectedOnce(method: String) async throws {
        try await withStore { origin, client in
            let date = "Thu, 16 Nov 2023 12:00:00 GMT"
            origin.serve(Self.path) { request in
                request[header: "x-amz-date"]?.hasPrefix("20231116T1200") == true
                    ? OriginResponse(headers: [("Date", date)], body: Data("bytes".utf8))
                    : Self.error(403, "RequestTimeTooSkewed").with(header: "Date", value: date)
            }
            if method == "GET" {
                let data = try await client.get(Self.object)?.data.count
                #expect(data == 5)
            } else {
                #expect(try await client.head(Self.object)?.byteCount == 5)
            }
            #expect(origin.requestCount() == 2)
            // Later requests are right at once.
            _ = try await client.get(Self.object)
            #expect(origin.requestCount() == 3)
        }
    }

    @Test func aStoreThatAlwaysComplainsAboutTheClockIsGivenUp() async throws {
        try await withStore { origin, client in
            let days = Shared(10)
            origin.serve(Self.path) { _ in
                let day = days.withLock { days in
                    days += 1
                    return days
                }
                return Self.error(403, "RequestTimeTooSkewed")
                    .with(header: "Date", value: "Thu, \(day) Nov 2023 12:00:00 GMT")
            }
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.s3?.code == "RequestTimeTooSkewed")
            #expect(origin.requestCount() == 2)
        }
    }

    @Test func aConnectionThatClosesBeforeTheFirstByteIsTriedAgain() async throws {
        try await withStore { origin, client in
            origin.serve(
                Self.path,
                sequence: [OriginResponse(ending: .dropped), OriginResponse(body: Data("bytes".utf8))])
            let data = try await client.get(Self.object)?.data.count
            #expect(data == 5)
            #expect(origin.requestCount() == 2)
        }
    }

    @Test func aBodyThatBreaksOffIsRequestedAgain() async throws {
        let body = Data(repeating: 7, count: 100_000)
        try await withStore { origin, client in
            origin.serve(
                Self.path,
                sequence: [OriginResponse(body: body, ending: .reset(after: 50_000)), OriginResponse(body: body)])
            let data = try await client.get(Self.object)?.data
            #expect(data == body)
            origin.serve(Self.path, response: OriginResponse(body: body, ending: .cut(after: 50_000)))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.code == .truncatedBody)
        }
    }

    @Test func anEndlessErrorDocumentIsNotReadToItsEnd() async throws {
        try await withStore { origin, client in
            let endless = Data("<Error><Code>SlowDown</Code><Message>".utf8) + Data(repeating: 0x61, count: 32 << 20)
            origin.serve(Self.path, response: OriginResponse(status: 403, body: endless, framing: .untilClose))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.status == 403 && error?.s3?.code == "SlowDown" && error?.s3?.message == nil)
            await origin.waitForClosedEarly(1)
        }
    }

    @Test(arguments: [OriginResponse.Framing.contentLength, .chunked(size: 1000), .untilClose])
    func anObjectThatIsTooLargeIsRefused(framing: OriginResponse.Framing) async throws {
        try await withStore { origin, client in
            origin.serve(
                Self.path, response: OriginResponse(body: Data(repeating: 1, count: 8 << 20), framing: framing))
            let error = await failure { _ = try await client.get(Self.object, maximumByteCount: 5000) }
            #expect(error?.code == .limitExceeded && error?.subject == "s3://photos/a")
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func aSilentStoreIsATimeOutThatIsNotTriedAgain() async throws {
        var limits = Self.patient(retries: 1)
        limits.firstByte = .milliseconds(50)
        try await withStore(limits: limits) { origin, client in
            origin.serve(Self.path, response: OriginResponse(ending: .never))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.code == .timedOut && error?.subject == "s3://photos/a")
            // On a busy machine, the request may arrive later.
            #expect(origin.requestCount() <= 1)
        }
    }

    @Test func aBodyThatStopsIsATimeOut() async throws {
        var limits = Self.patient(retries: 0)
        limits.idle = .milliseconds(50)
        // The wait for the body is checked first when the wait for the head would have ended.
        limits.firstByte = .seconds(2)
        try await withStore(limits: limits) { origin, client in
            origin.serve(
                Self.path,
                response: OriginResponse(body: Data(repeating: 1, count: 1000), ending: .silence(after: 500)))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test func aStoreThatRefusesConnectionsIsUnreachable() async throws {
        let port = try ClosedPort()
        var configuration = S3Configuration(bucket: "photos", endpoint: try port.url.deletingLastPathComponent())
        configuration.requestLimits = Self.patient(retries: 1)
        let client = try S3Client(configuration)
        let error = await failure { try await client.checkBucket() }
        #expect(error?.code == .unreachable && error?.subject == "s3://photos")
    }

    @Test(arguments: [(412, "PreconditionFailed"), (409, "ConditionalRequestConflict")])
    func anObjectThatExistsIsNoError(status: Int, code: String) async throws {
        try await withStore { origin, client in
            origin.serve(Self.path, response: Self.error(status, code))
            let isStored = try await client.put(
                Data("x".utf8), as: Self.object, S3PutOptions(onlyIfAbsent: true))
            #expect(!isStored && origin.requests.first?[header: "if-none-match"] == "*")
            let error = await failure { try await client.put(Data("x".utf8), as: Self.object) }
            #expect(error?.status == status)
        }
    }

    @Test func aStoreThatIgnoresARangeSendsTheSameBytes() async throws {
        try await withStore { origin, client in
            origin.serve(Self.path, response: OriginResponse(body: Data("0123456789".utf8)))
            for (range, expected) in [(2..<5, "234"), (8..<50, "89"), (20..<50, "")] {
                let data = try await client.get(Self.object, range: range)?.data
                #expect(data == Data(expected.utf8))
            }
        }
    }

    @Test(arguments: ["bytes 3-5/10", "bytes 2-9/10", "items 2-4/10", nil])
    func anotherRangeIsRefused(range: String?) async throws {
        try await withStore { origin, client in
            let headers = range.map { [(name: "Content-Range", value: $0)] } ?? []
            let body = Data(range == "bytes 2-9/10" ? "23456789".utf8 : "345".utf8)
            origin.serve(Self.path, response: OriginResponse(status: 206, headers: headers, body: body))
            let error = await failure { _ = try await client.get(Self.object, range: 2..<5) }
            #expect(error?.code == .transport)
        }
    }

    @Test func aPartThatWasNotAskedForIsRefused() async throws {
        try await withStore { origin, client in
            origin.serve(
                Self.path,
                response: OriginResponse(
                    status: 206, headers: [("Content-Range", "bytes 0-2/10")], body: Data("012".utf8)))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.code == .badStatus && error?.status == 206)
        }
    }

    @Test func theRegionOfABucketIsTold() async throws {
        try await withStore { origin, client in
            origin.serve(
                Self.path,
                response: Self.error(301, "PermanentRedirect").with(header: "x-amz-bucket-region", value: "eu-west-1"))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.message.contains("the bucket is in the region eu-west-1") == true)
        }
    }

    @Test func redirectsAreNotFollowed() async throws {
        try await withStore { origin, client in
            origin.serve(Self.path, response: .redirect(to: "/photos/b", status: 307))
            let error = await failure { _ = try await client.get(Self.object) }
            #expect(error?.status == 307 && origin.requestCount() == 1)
        }
    }

    @Test func responsesWithoutABodyLeaveTheirConnectionOpen() async throws {
        try await withStore { origin, client in
            origin.serve(Self.path) { request in
                switch request.method {
                case "DELETE": .status(204)
                case "GET": .status(304)
                case "PUT" where request[header: "if-none-match"] != nil: Self.error(412, "PreconditionFailed")
                default: OriginResponse(body: Data())
                }
            }
            for _ in 0..<5 {
                _ = try await client.head(Self.object)
                _ = try await client.get(Self.object, ifNoneMatch: "\"1\"")
                try await client.put(Data("x".utf8), as: Self.object)
                try await client.put(Data("x".utf8), as: Self.object, S3PutOptions(onlyIfAbsent: true))
                try await client.delete(Self.object)
            }
            #expect(origin.requestCount() == 25 && origin.openConnections == 1)
        }
    }

    @Test func cancellingEndsTheWaitAtOnce() async throws {
        try await withStore { origin, client in
            origin.serve(Self.path, response: OriginResponse(ending: .never))
            let task = Task { try await client.get(Self.object) }
            await origin.waitForRequests(1)
            task.cancel()
            let error = await failure { _ = try await task.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func cookiesOfAStoreAreNotSentBack() async throws {
        try await withStore { origin, client in
            origin.serve(Self.path, response: OriginResponse(headers: [("Set-Cookie", "a=b")], body: Data("x".utf8)))
            _ = try await client.get(Self.object)
            _ = try await client.get(Self.object)
            #expect(origin.requests.allSatisfy { $0[header: "cookie"] == nil } && origin.requestCount() == 2)
        }
    }
}
