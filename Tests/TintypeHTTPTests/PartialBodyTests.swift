import Foundation
import Testing
import TintypeCore

@testable import TintypeHTTP

/// The beginning of a body, the response with the rest, and the file of both.
@Suite struct PartialBodyTests {
    private static let partial = PartialBody(
        urlDigest: "p", validator: StrongValidator(value: "\"1\""), total: 100, data: Data(repeating: 7, count: 40))

    struct Case: Sendable {
        var status = 206
        var fields: HTTPFields
        let meaning: PartialBody.Meaning
    }

    static let cases: [Case] = [
        Case(fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\""], meaning: .rest),
        Case(fields: ["Content-Range": "bytes 40-99/*", "ETag": "\"1\""], meaning: .rest),
        Case(fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\"", "Content-Length": "60"], meaning: .rest),
        // Another length, start, end, total or tag; no tag, no range, several ranges, a content coding.
        Case(
            fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\"", "Content-Length": "61"], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 41-99/100", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-98/*", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-98/100", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-100/101", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"2\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-99/100"], meaning: .unusable),
        Case(fields: ["ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Type": "multipart/byteranges; boundary=x", "ETag": "\"1\""], meaning: .unusable),
        Case(
            fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\"", "Content-Encoding": "gzip"],
            meaning: .unusable
        ),
        Case(status: 200, fields: ["ETag": "\"2\""], meaning: .whole),
        Case(status: 416, fields: ["Content-Range": "bytes */100"], meaning: .unusable),
        Case(status: 404, fields: [:], meaning: .whole),
    ]

    @Test(arguments: cases) func theResponseToARangeRequestIsChecked(_ example: Case) {
        let response = DownloadResponse(url: URL(filePath: "/"), status: example.status, headers: example.fields)
        #expect(Self.partial.meaning(of: response) == example.meaning)
    }

    /// If no response tells the total, a range may end before the body does.
    @Test(arguments: [("bytes 40-99/*", PartialBody.Meaning.unusable), ("bytes 40-99/100", .rest)])
    func aRangeWithoutATotalMayBeIncomplete(_ range: String, _ meaning: PartialBody.Meaning) {
        let partial = PartialBody(
            urlDigest: "p", validator: Self.partial.validator, total: nil, data: Self.partial.data)
        let response = DownloadResponse(
            url: URL(filePath: "/"), status: 206, headers: ["Content-Range": range, "ETag": "\"1\""])
        #expect(partial.meaning(of: response) == meaning)
    }

    @Test(arguments: [
        ("bytes 0-9/10", true), ("bytes 0-9/*", true), ("BYTES 5-5/6", true), ("bytes 9-0/10", false),
        ("bytes 0-10/10", false),
        ("bytes */10", false), ("bytes -5/10", false), ("items 0-9/10", false), ("", false),
        ("bytes 0-99999999999999999999/*", false), ("bytes 0-9", false), ("bytes +0-9/10", false),
        ("bytes 0-+9/10", false), ("bytes 0-9/+10", false),
        ("bytes 0-9223372036854775807/*", false), ("bytes 0-9223372036854775806/9223372036854775807", true),
    ]) func contentRangesAreParsed(_ text: String, _ isRead: Bool) {
        #expect((ContentRange(text) != nil) == isRead)
    }

    static let validators: [(HTTPFields, Bool)] = [
        (["ETag": "\"1\""], true), (["ETag": "W/\"1\""], false), ([:], false),
        (["Last-Modified": "Tue, 14 Nov 2023 22:00:00 GMT", "Date": "Tue, 14 Nov 2023 22:01:00 GMT"], true),
        (["Last-Modified": "Tue, 14 Nov 2023 22:00:00 GMT", "Date": "Tue, 14 Nov 2023 22:00:59 GMT"], false),
        (["Last-Modified": "Tue, 14 Nov 2023 22:00:00 GMT"], false),
    ]

    /// RFC 9110, 8.8.1 and 8.8.2.2.
    @Test(arguments: validators) func onlyStrongValidatorsCount(_ fields: HTTPFields, _ isStrong: Bool) {
        #expect((StrongValidator(fields) != nil) == isStrong)
    }

    @Test func aFileIsDecodedAndDamageIsDetected() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-partial-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try PartialJournal(
            Self.partial.empty, as: "a", in: PartialFolder(making: FolderLocation(own: folder))
        ).appending(Self.partial.data)
        let file = try Data(contentsOf: folder.appending(path: "a"))
        #expect(PartialFile.decode(file) == Self.partial)
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 1
            #expect(PartialFile.decode(damaged) == nil)
        }
        for count in 0..<file.count { #expect(PartialFile.decode(file.prefix(count)) == nil) }
    }
}
