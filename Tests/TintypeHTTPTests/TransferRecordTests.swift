import Foundation
import Testing

@testable import TintypeHTTP

/// The parts of a request and its response in a record.
@Suite struct TransferRecordTests {
    private static let url = URL(filePath: "/a")
    private static let times = ExchangeTimes(
        sent: Date(timeIntervalSince1970: 0), answered: Date(timeIntervalSince1970: 1))

    private func record(asking: HTTPFields, answered: HTTPFields) -> TransferRecord {
        let request = DownloadRequest(url: Self.url, headers: asking, body: Data("secret body".utf8))
        let link = ExchangeChain.Link(request: request, status: 200, headers: answered, times: Self.times)
        return TransferRecord(
            ExchangeChain(link), DownloadResponse(url: Self.url, status: 200, headers: answered), storing: .caching)
    }

    private func text(of record: TransferRecord) -> String {
        var text = ""
        dump(record, to: &text)
        return text
    }

    @Test func secretsAreNotStored() {
        let record = record(
            asking: ["Authorization": "Bearer secret", "Accept": "image/*"], answered: ["ETag": "\"1\""])
        #expect(!text(of: record).contains("secret"))
        #expect(record.isStorable)
    }

    @Test func fieldsThatTheResponseVariesByAreStoredAsDigests() throws {
        let record = record(asking: ["Authorization": "Bearer secret"], answered: ["Vary": "Authorization"])
        let stored = try #require(StoredResponse(decoding: record.metadata))
        #expect(stored.selection.digests.keys.contains("authorization"))
        #expect(!text(of: record).contains("secret body"))
    }

    @Test func onlyFieldsThatTheResponseVariesByAreHeld() {
        let fields: HTTPFields = ["Authorization": "Bearer secret", "Accept": "image/png", "Cache-Control": "no-cache"]
        let record = record(asking: fields, answered: ["Vary": "accept"])
        let held = text(of: record)
        #expect(held.contains("image/png") && held.contains("no-cache") && !held.contains("secret"))
    }

    @Test func aResponseWithoutFieldsIsDecoded() {
        let stored = StoredResponse(head: StoredHead(status: 200, headers: [:], times: Self.times))
        #expect(StoredResponse(decoding: stored.encoded) == stored)
    }

    @Test func aResponseInAnotherFormatIsNotDecoded() {
        let text = String(decoding: record(asking: [:], answered: [:]).metadata, as: UTF8.self)
        #expect(text.hasPrefix("http 2\n") && StoredResponse(decoding: Data(text.utf8)) != nil)
        let other = text.replacing("http 2\n", with: "http 1\n")
        #expect(StoredResponse(decoding: Data(other.utf8)) == nil)
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=1", "cache-control": "no-store"], [:]), ([:], ["Cache-Control": "no-store"]),
        ] as [(HTTPFields, HTTPFields)]) func noStoreOfRequestOrResponseApplies(
            _ asking: HTTPFields, _ answered: HTTPFields
        )
    {
        #expect(!record(asking: asking, answered: answered).isStorable)
    }
}
