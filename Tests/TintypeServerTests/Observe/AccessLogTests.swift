import Foundation
import Testing

@testable import TintypeServer

@Suite struct AccessLogTests {
    private static func entry(_ status: Int = 200) -> AccessLogEntry {
        AccessLogEntry(
            date: Date(timeIntervalSince1970: 1_700_000_000.25), requestID: "abc", method: "GET", status: status)
    }

    private static func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func aLineHasItsFieldsInOrder() {
        var entry = Self.entry()
        (entry.bytes, entry.duration, entry.tier) = (42_000, .microseconds(1500), "disk")
        (entry.source, entry.contentType) = ("https://user:pass@Images.example:8443/a.jpg?token=1", "image/webp")
        (entry.key, entry.client, entry.queueing) = ("0123456789abcdef", "192.0.2.1", .milliseconds(2))
        (entry.download, entry.decoding, entry.encoding) = (.milliseconds(30), .microseconds(4250), .zero)
        #expect(
            entry.line == """
                {"time":"2023-11-14T22:13:20.250Z","level":"info","id":"abc","method":"GET","status":200,"bytes":42000,\
                "ms":1.5,"tier":"disk","source_host":"images.example:8443","type":"image/webp","key":"0123456789ab",\
                "client":"192.0.2.1","queue_ms":2,"download_ms":30,"decode_ms":4.25,"encode_ms":0}
                """)
    }

    @Test func aLossIsLogged() throws {
        var entry = Self.entry()
        entry.loss = "dynamic-range"
        #expect(try Self.object(entry.line)["lost"] as? String == "dynamic-range")
    }

    @Test(arguments: [(200, "info"), (304, "info"), (404, "warning"), (499, "warning"), (500, "error"), (504, "error")])
    func theLevelIsThatOfTheStatus(_ status: Int, _ level: String) throws {
        #expect(try Self.object(Self.entry(status).line)["level"] as? String == level)
    }

    @Test func textsFromOutsideStayInTheLine() throws {
        var entry = Self.entry()
        entry.method = "G\r\nE\u{1B}[2J\"\\\u{2028}\u{202E}\u{7F}\u{85}T"
        (entry.client, entry.code) = (String(repeating: "x", count: 10_000), "a\u{0}b")
        let line = entry.line
        #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && line.utf8.count < 1000)
        #expect(try Self.object(line)["method"] as? String == entry.method)
    }

    @Test(
        arguments: [
            ("http://a.example/x", "a.example", "http://a.example/x"),
            ("https://u:p@a.example/x?k=secret#f", "a.example", "https://a.example/x?(redacted)"),
            ("https://u@p@a.example", "a.example", "https://a.example"),
            ("http://a.example?k=secret@b", "a.example", "http://a.example?(redacted)"),
            ("http://a.example\\@b/x", "a.example", "http://a.example\\@b/x"),
            ("s3://bucket/key", "bucket", "s3://bucket/key"), ("local:///a/b", nil, "local:///a/b"),
            ("data:image/png;base64,AAAA", nil, "(no URL)"), ("", nil, "(no URL)"), ("://a", nil, "(no URL)"),
        ] as [(String, String?, String)])
    func nothingSecretOfASourceIsLogged(_ url: String, _ host: String?, _ redacted: String) {
        #expect(SourceRedaction.host(url) == host && SourceRedaction.redacted(url) == redacted)
    }

    @Test(
        arguments: [
            (0, "0"), (1.5, "1.5"), (0.0004, "0"), (0.001, "0.001"), (-0.5, "-0.5"), (-0.0001, "0"),
            (1234.5678, "1234.568"),
            (0.05, "0.05"), (.nan, "null"), (.infinity, "null"), (1e300, "null"), (2.9999, "3"),
        ] as [(Double, String)])
    func decimalsHaveThreePlaces(_ value: Double, _ text: String) {
        var object = JSONObjectText()
        object.add("v", decimal: value)
        #expect(object.text == "{\"v\":\(text)}")
    }

    @Test func everyScalarIsReadBack() throws {
        for plane in 0..<0x110 {
            var text = ""
            for low in 0..<0x100 {
                if let scalar = Unicode.Scalar(UInt32(plane * 0x100 + low)) { text.unicodeScalars.append(scalar) }
            }
            var object = JSONObjectText()
            object.add("v", text)
            #expect(try Self.object(object.text)["v"] as? String == text)
        }
    }
}
