import Foundation
import Testing
import TintypeCore
import TintypeHTTP

@testable import TintypeS3

/// Signature Version 4, judged by botocore and by the examples that AWS has published.
@Suite struct SignatureTests {
    private static let exampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

    @Test func everySignatureIsThatOfBotocore() throws {
        let table = try BotocoreTable.standard.get()
        #expect(table.signatures.count >= 60)
        for (number, entry) in table.signatures.enumerated() {
            let endpoint = try S3Endpoint(try #require(URL(string: entry.endpoint)), usesPathStyle: true)
            let address = endpoint.address(bucket: "bucket", key: entry.key)
            let date = SigningDate(try BotocoreTable.date(entry.date))
            var headers = HTTPFields(entry.headers.map { (name: $0.key, value: $0.value) })
            headers["Host"] = address.host
            headers["x-amz-content-sha256"] = entry.payload
            headers["x-amz-date"] = date.text
            headers["x-amz-security-token"] = entry.token
            let request = CanonicalRequest(
                method: entry.method, path: address.path, query: entry.query.map { ($0[0], $0[1]) }, headers: headers,
                payloadHash: entry.payload)
            #expect(request.text == entry.canonical, "signature \(number)")
            let signature = SignatureV4(of: request, at: date, region: entry.region)
            #expect(signature.stringToSign == entry.stringToSign, "signature \(number)")
            let key = signature.scope.key(from: table.secretAccessKey)
            #expect(signature.authorization(table.accessKeyID, key) == entry.authorization, "signature \(number)")
        }
    }

    /// Amazon S3 API Reference, "Signature Calculations for the Authorization Header: Transferring Payload in a Single
    /// Chunk", the four examples.
    @Test(
        arguments: [
            (
                "GET", "/test.txt", "", ["Range": "bytes=0-9"], "",
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            (
                "PUT", "/test%24file.text", "",
                ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
                "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ),
            ("GET", "/", "lifecycle", [:], "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            (
                "GET", "/", "max-keys=2&prefix=J", [:], "",
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
        ] as [(String, String, String, [String: String], String, String)])
    func theExamplesOfAWSHaveTheirSignatures(
        method: String, path: String, query: String, fields: [String: String], body: String, expected: String
    ) {
        let payload = SHA256Digest.hexadecimal(of: Data(body.utf8))
        var headers = HTTPFields(fields.map { (name: $0.key, value: $0.value) })
        headers["Host"] = "examplebucket.s3.amazonaws.com"
        headers["x-amz-content-sha256"] = payload
        headers["x-amz-date"] = "20130524T000000Z"
        let pairs = query.split(separator: "&").map { $0.split(separator: "=") }
        let request = CanonicalRequest(
            method: method, path: path, query: pairs.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") },
            headers: headers, payloadHash: payload)
        let date = SigningDate(Date(timeIntervalSince1970: 1_369_353_600))
        let signature = SignatureV4(of: request, at: date, region: "us-east-1")
        #expect(signature.value(signature.scope.key(from: Self.exampleSecret)) == expected)
    }

    /// AWS Identity and Access Management User Guide, "Create a signed AWS API request": the example of a key.
    @Test func theKeyOfTheExampleOfAWSSignsItsString() {
        let scope = SignatureV4.Scope(day: "20150830", region: "us-east-1", service: "iam")
        let key = scope.key(from: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        let text = """
            AWS4-HMAC-SHA256
            20150830T123600Z
            20150830/us-east-1/iam/aws4_request
            f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59
            """
        #expect(key.hash(of: text).hexadecimal == "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")
    }

    /// RFC 4231, 4.2 to 4.7.
    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] as [([UInt8], String, String)])
    func theKeyedHashIsThatOfTheSpecification(key: [UInt8], text: String, expected: String) {
        #expect(HMACSHA256(key: key).hash(of: text).hexadecimal == expected)
    }

    @Test func datesAreThoseOfTheCalendar() throws {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        // Steps of about five days and seven hours, from 1970 to 2150.
        for step in 0..<12_500 {
            let date = Date(timeIntervalSince1970: Double(step) * 454_603)
            #expect(SigningDate(date).text == date.formatted(style))
            #expect(SigningDate(date).day == String(SigningDate(date).text.prefix(8)))
        }
        #expect(SigningDate(.distantFuture).text == "40010101T000000Z")
        #expect(SigningDate(.distantPast).text == "19700101T000000Z")
        #expect(SigningDate(Date(timeIntervalSince1970: .infinity)).text == "99991231T235959Z")
    }

    @Test func aKeyIsUsedAgainOnlyForItsDayRegionServiceAndSecret() {
        let scope = SignatureV4.Scope(day: "20261128", region: "us-east-1", service: "s3")
        let others = [
            SignatureV4.Scope(day: "20261129", region: "us-east-1", service: "s3"),
            SignatureV4.Scope(day: "20261128", region: "us-east-2", service: "s3"),
            SignatureV4.Scope(day: "20261128", region: "us-east-1", service: "sts"),
        ]
        var cache = SigningKeyCache()
        for (scope, secret) in [(scope, "a"), (scope, "a"), (scope, "b")] + others.map({ ($0, "b") }) + [(scope, "a")] {
            #expect(cache.key(for: scope, secret: secret).hash(of: "x") == scope.key(from: secret).hash(of: "x"))
        }
    }

    @Test func everyByteExceptTheUnreservedOnesIsEncoded() {
        let unreserved = "ABCXYZabcxyz0189-._~"
        #expect(PercentEncoding.encode(unreserved) == unreserved)
        #expect(PercentEncoding.encode("/ +%é\u{0}") == "%2F%20%2B%25%C3%A9%00")
        #expect(PercentEncoding.encodePath("//a/../%2F ") == "//a/../%252F%20")
    }
}
