import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP

@testable import TintypeS3

/// The client and the errors of AWS, which moto plays. Skipped without it, but a machine of CI must have it.
@Suite(.timeLimited) struct MotoTests {
    @Test(.enabled(if: MotoServer.isRequired)) func motoIsInstalledForCI() {
        #expect(MotoServer.isInstalled, "set TINTYPE_MOTO to what scripts/check/moto prints")
    }
}

@Suite(.timeLimited, .enabled(if: MotoServer.isInstalled)) struct MotoClientTests {
    /// Expects a refusal with a status and a code, and returns it.
    @discardableResult
    private func expectRefusal<Value>(
        _ status: Int, _ code: String?, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Value
    ) async -> TintypeError? {
        let error = await expectError(.badStatus, sourceLocation: sourceLocation, body)
        #expect(error?.status == status && error?.s3?.code == code, sourceLocation: sourceLocation)
        return error
    }

    // MARK: What is missing

    @Test func aMissingObjectIsToldApart() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(), server.object())
        let error = await expectRefusal(404, "NoSuchKey") { try await client.get(object) }
        #expect(error?.isMissingObject == true && error?.subject == "\(object)")
        let id = error?.s3?.requestID ?? ""
        #expect(!id.isEmpty && error?.message.contains(id) == true)
        #expect(try await client.head(object) == nil)
        try await client.delete(object)
        try await client.put(Data("x".utf8), as: object)
        try await client.delete(object)
        try await client.delete(object)
        #expect(try await client.head(object) == nil)
    }

    @Test func aMissingBucketIsNotAMissingObject() async throws {
        let client = try await MotoServer.shared.client(bucket: "absent")
        let object = S3Object(bucket: "absent", key: "a")
        let errors = [
            await expectRefusal(404, "NoSuchBucket") { try await client.get(object) },
            await expectRefusal(404, "NoSuchBucket") { try await client.put(Data("x".utf8), as: object) },
            await expectRefusal(404, "NoSuchBucket") { try await client.delete(object) },
        ]
        #expect(errors.allSatisfy { $0?.isMissingObject == false && $0?.subject == "s3://absent/a" })
        await expectRefusal(404, nil) { try await client.checkBucket() }
        try await MotoServer.shared.client().checkBucket()
    }

    @Test func aVersionThatIsMissingOrDeletedIsToldApart() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(), server.object(in: MotoServer.versionedBucket))
        try await client.put(Data("old".utf8), as: object)
        var old = object
        old.version = try #require(try await client.head(object)?.version)
        try await client.put(Data("new".utf8), as: object)
        #expect(try await client.get(object)?.data == Data("new".utf8))
        #expect(try await client.get(old)?.data == Data("old".utf8))
        // The newest version is a mark that the object is deleted.
        try await client.delete(object)
        #expect(await expectRefusal(404, "NoSuchKey") { try await client.get(object) }?.isMissingObject == true)
        #expect(try await client.head(object) == nil)
        #expect(try await client.get(old)?.data == Data("old".utf8))
        try await client.delete(old)
        #expect(await expectRefusal(404, "NoSuchVersion") { try await client.get(old) }?.isMissingObject == true)
        #expect(try await client.head(old) == nil)
    }

    // MARK: Keys

    @Test(arguments: ["secret", "ID"]) func wrongKeysAreRefused(part: String) async throws {
        let server = try await MotoServer.shared
        let right = try #require(server.credentials(of: .writer))
        let wrong = S3Credentials(
            accessKeyID: part == "ID" ? "AKIANOBODY" : right.accessKeyID,
            secretAccessKey: part == "ID" ? right.secretAccessKey : "wrong")
        let (client, object) = (try server.client { $0.credentials = wrong }, server.object())
        let code = part == "ID" ? "InvalidAccessKeyId" : "SignatureDoesNotMatch"
        let error = await expectRefusal(403, code) { try await client.get(object) }
        #expect(error?.message.contains(part == "ID" ? "check the access key ID" : "check the secret") == true)
        await expectRefusal(403, code) { try await client.put(Data(count: 3 << 20), as: object) }
        await expectRefusal(403, code) { try await client.delete(object) }
        // A response without a body has no code.
        await expectRefusal(403, nil) { try await client.head(object) }
        await expectRefusal(403, nil) { try await client.checkBucket() }
    }

    @Test func requestsWithoutKeysAreRefused() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client { $0.credentials = nil }, server.object())
        try await server.client().put(Data("private".utf8), as: object)
        await expectRefusal(403, nil) { try await client.get(object) }
        await expectRefusal(403, nil) { try await client.head(object) }
        await expectRefusal(403, nil) { try await client.put(Data("x".utf8), as: object) }
    }

    @Test func keysThatAreRevokedMeanwhileCanBeReplaced() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(as: .revoked), server.object())
        await expectRefusal(403, "InvalidAccessKeyId") { try await client.put(Data("x".utf8), as: object) }
        client.credentials = server.credentials(of: .writer)
        #expect(try await client.put(Data("x".utf8), as: object))
    }

    @Test func keysThatMayOnlyReadCannotWrite() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(as: .reader), server.object())
        try await server.client().put(Data("bytes".utf8), as: object)
        #expect(try await client.get(object)?.data == Data("bytes".utf8))
        await expectRefusal(403, "AccessDenied") { try await client.put(Data(), as: object) }
        await expectRefusal(403, "AccessDenied") { try await client.delete(object) }
        #expect(try await client.head(object)?.byteCount == 5)
    }

    @Test func temporaryKeysNeedTheirToken() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(as: .temporary), server.object())
        try await client.put(Data("bytes".utf8), as: object)
        #expect(try await client.get(object)?.data == Data("bytes".utf8))
        let keys = try #require(server.credentials(of: .temporary))
        client.credentials = S3Credentials(
            accessKeyID: keys.accessKeyID, secretAccessKey: keys.secretAccessKey, sessionToken: "of yesterday")
        let error = await expectRefusal(400, "InvalidToken") { try await client.get(object) }
        #expect(error?.message.contains("renew the temporary keys") == true)
        client.credentials = S3Credentials(accessKeyID: keys.accessKeyID, secretAccessKey: keys.secretAccessKey)
        await expectRefusal(403, "InvalidAccessKeyId") { try await client.get(object) }
    }

    // MARK: Requests that cannot be fulfilled

    @Test func aRangeBeyondTheEndIsRefused() async throws {
        let server = try await MotoServer.shared
        let (client, object, empty) = (try server.client(), server.object(), server.object("empty"))
        try await client.put(Data("0123456789".utf8), as: object)
        try await client.put(Data(), as: empty)
        #expect(try await client.get(object, range: 2..<5)?.data == Data("234".utf8))
        #expect(try await client.get(object, range: 8..<100)?.data == Data("89".utf8))
        for range in [10..<11, 1000..<2000] {
            await expectRefusal(416, "InvalidRange") { try await client.get(object, range: range) }
        }
        await expectRefusal(416, "InvalidRange") { try await client.get(empty, range: 0..<5) }
        #expect(try await client.get(empty)?.data == Data())
    }

    @Test func aPreconditionThatFailsIsNoError() async throws {
        let server = try await MotoServer.shared
        let (client, object) = (try server.client(), server.object())
        let onlyIfAbsent = S3PutOptions(onlyIfAbsent: true)
        #expect(try await client.put(Data("first".utf8), as: object, onlyIfAbsent))
        #expect(try await !client.put(Data("second".utf8), as: object, onlyIfAbsent))
        let content = try #require(try await client.get(object))
        #expect(content.data == Data("first".utf8))
        #expect(try await client.get(object, ifNoneMatch: content.info.tag) == nil)
        try await client.put(Data("third".utf8), as: object)
        #expect(try await client.get(object, ifNoneMatch: content.info.tag)?.data == Data("third".utf8))
    }

    /// Expects a refusal of a request, and returns how often it was sent.
    private func attempts(
        _ request: S3Request, _ client: S3Client, until status: Int, _ code: String?
    ) async -> Int {
        var attempts = 0
        await expectRefusal(status, code) {
            try await client.retrying(client.configuration.requestLimits) {
                (limits, isRetry) throws(TintypeError) in
                attempts += 1
                let response = try await client.send(
                    request, accepting: [200], about: "the request", within: limits, isRetry: isRetry)
                await response.discard()
            }
        }
        return attempts
    }

    @Test func aMalformedRequestIsNotSentAgain() async throws {
        let server = try await MotoServer.shared
        let client = try server.client()
        var request = try client.request("PUT", server.object())
        request.headers["x-amz-storage-class"] = "NONE"
        #expect(await attempts(request, client, until: 400, "InvalidStorageClass") == 1)
        let tooShort = S3Request(method: "PUT", address: client.endpoint.address(bucket: "ab", key: nil))
        #expect(await attempts(tooShort, client, until: 400, "InvalidBucketName") == 1)
    }

    @Test func aFailureInsideTheStoreHasNoCodeAndIsTriedAgain() async throws {
        let server = try await MotoServer.shared
        let client = try server.client()
        // An upload that was never begun ends with an exception and a page of HTML.
        var request = try client.request("PUT", server.object())
        request.query = [("partNumber", "1"), ("uploadId", "absent")]
        #expect(await attempts(request, client, until: 500, nil) == 2)
    }

    // MARK: Names

    /// Keys with all kinds of characters, those among them that SeaweedFS changes.
    @Test(arguments: [
        "with space", " leading", "trailing ", "plus+plus", "percent%20sign", "100%", "%2F", "question?mark",
        "hash#tag",
        "amp&equals=", "semi;colon:comma,", "star*paren(th)'quote\"", "bracket[1]{2}|^`", "at@dollar$bang!", "<tag>",
        "ключ/файл.png", "emoji-🌄", "e\u{301}", "\u{E9}", "tab\tkey", "a...b", "back\\slash", "a//b", "/a", "a/",
        String(repeating: "x", count: 900),
    ])
    func aKeyComesBackAsItWas(key: String) async throws {
        let server = try await MotoServer.unchecked
        let (client, object) = (try server.client(), server.object(key))
        let bytes = Data("of \(key)".utf8)
        #expect(try await client.head(object) == nil)
        try await client.put(bytes, as: object)
        #expect(try await client.get(object)?.data == bytes)
        #expect(try await client.head(object)?.byteCount == bytes.count)
        try await client.delete(object)
        #expect(await expectRefusal(404, "NoSuchKey") { try await client.get(object) }?.isMissingObject == true)
    }
}
