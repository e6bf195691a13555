import Foundation
import Testing

@testable import TintypeHTTP

/// The parts of a request and its response in a record.
@Suite struct TransferRecordTests {
    private static let url = URL(filePath: "/a")
    private static let times = ExchangeTimes(
        sent: Date(timeIntervalSince1970: 0), received: Date(timeIntervalSince1970: 1))

    private func record(asking: HTTPFields, response: HTTPFields) -> TransferRecord {
        let request = DownloadRequest(url: Self.url, headers: asking, body: Data("secret body".utf8))
        let link = ExchangeChain.Link(request: request, status: 200, headers: response, times: Self.times)
        return TransferRecord(
            ExchangeChain(link), DownloadResponse(url: Self.url, status: 200, headers: response), storing: .caching)
    }

    private func text(of record: TransferRecord) -> String {
        var text = ""
        dump(record, to: &text)
        return text
    }

    @Test func secretsAreNotStored() {
        let record = record(
            asking: ["Authorization": "Bearer secret", "Accept": "image/*"], response: ["ETag": "\"1\""])
        #expect(!text(of: record).contains("secret"))
        #expect(record.isStorable)
    }

    @Test func fieldsThatTheResponseVariesByAreStoredAsDigests() throws {
        let record = record(asking: ["Authorization": "Bearer secret"], response: ["Vary": "Authorization"])
        let stored = try #require(StoredResponse(decoding: record.metadata))
        #expect(stored.selection.digests.keys.contains("authorization"))
        #expect(!text(of: record).contains("secret body"))
    }

    @Test func onlyFieldsThatTheResponseVariesByAreHeld() {
        let fields: HTTPFields = ["Authorization": "Bearer secret", "Accept": "image/png", "Cache-Control": "no-cache"]
        let record = record(asking: fields, response: ["Vary": "accept"])
        let held = text(of: record)
        #expect(held.contains("image/png") && held.contains("no-cache") && !held.contains("secret"))
    }

    /// Some 900 KB of names that differ, or of one name.
    @Test(arguments: [
        HTTPFields([("Vary", (0..<150_000).map { "\($0)" }.joined(separator: ","))]),
        HTTPFields((0..<20).map { _ in ("Vary", String(repeating: "a,", count: 25_000)) }),
    ]) func aLongVaryFieldLeavesSmallMetadata(_ response: HTTPFields) throws {
        let record = record(asking: ["A": "secret"], response: response)
        #expect(!record.isStorable && record.metadata.count < 1000)
        let stored = try #require(StoredResponse(decoding: record.metadata))
        #expect(stored.selection.matchesNothing && !text(of: record).contains("secret"))
    }

    @Test(arguments: [(65_000, true), (66_000, false)])
    func aResponseWithLargeHeaderFieldsIsNotStorable(_ byteCount: Int, _ isStorable: Bool) throws {
        let record = record(
            asking: [:], response: ["ETag": "\"1\"", "Pragma": String(repeating: "a", count: byteCount)])
        let stored = try #require(StoredResponse(decoding: record.metadata))
        #expect(record.isStorable == isStorable && stored.hasValidator == isStorable)
        #expect(stored.selection.matchesNothing != isStorable && record.metadata.count < 68_000)
    }

    @Test func fieldsThatAreNotStoredMayBeLarge() {
        let record = record(
            asking: [:], response: ["ETag": "\"1\"", "X-Large": String(repeating: "a", count: 1 << 17)])
        #expect(record.isStorable && record.metadata.count < 1000)
    }

    /// Each redirect is stored too.
    @Test func theFieldsOfRedirectsCount() {
        let large: HTTPFields = ["Pragma": String(repeating: "a", count: 40_000)]
        let request = DownloadRequest(url: Self.url)
        let link = ExchangeChain.Link(request: request, status: 302, headers: large, times: Self.times)
        var chain = ExchangeChain(link)
        chain.add(ExchangeChain.Link(request: request, status: 200, headers: large, times: Self.times))
        let response = DownloadResponse(url: Self.url, status: 200, headers: large)
        let record = TransferRecord(chain, response, storing: .caching)
        #expect(!record.isStorable && record.metadata.count < 1000)
    }

    @Test(arguments: [("X-Large", true), ("Pragma", false)])
    func largeFieldsOfRedirectsAreNotHeld(_ name: String, _ isStorable: Bool) {
        let request = DownloadRequest(url: Self.url)
        let large = HTTPFields([(name, String(repeating: "a", count: 1 << 20))])
        var chain = ExchangeChain(ExchangeChain.Link(request: request, status: 302, headers: large, times: Self.times))
        chain.add(ExchangeChain.Link(request: request, status: 200, headers: [:], times: Self.times))
        let record = TransferRecord(chain, DownloadResponse(url: Self.url, status: 200), storing: .caching)
        #expect(text(of: record).utf8.count < 20_000)
        #expect(record.isStorable == isStorable)
    }

    @Test func aResponseWithoutFieldsIsDecoded() {
        let stored = StoredResponse(head: StoredHead(status: 200, headers: [:], times: Self.times))
        #expect(StoredResponse(decoding: stored.encoded) == stored)
    }

    @Test func aResponseInAnotherFormatIsNotDecoded() {
        let text = String(decoding: record(asking: [:], response: [:]).metadata, as: UTF8.self)
        #expect(text.hasPrefix("http 2\n") && StoredResponse(decoding: Data(text.utf8)) != nil)
        let other = text.replacing("http 2\n", with: "http 1\n")
        #expect(StoredResponse(decoding: Data(other.utf8)) == nil)
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=1", "cache-control": "no-store"], [:]), ([:], ["Cache-Control": "no-store"]),
        ] as [(HTTPFields, HTTPFields)]) func noStoreOfRequestOrResponseApplies(
            _ asking: HTTPFields, _ response: HTTPFields
        )
    {
        #expect(!record(asking: asking, response: response).isStorable)
    }
}
