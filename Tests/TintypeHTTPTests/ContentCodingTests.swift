import CZlib
import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@Suite(.timeLimited) struct ContentCodingTests {
    /// The formats that zlib writes, by their window bits.
    enum Frame: Int32, CaseIterable, Sendable {
        case gzip = 31
        case zlib = 15
        case raw = -15

        var name: String { self == .gzip ? "gzip" : "deflate" }
    }

    private func deflated(_ data: Data, _ frame: Frame) throws -> Data {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        try #require(
            deflateInit2_(&stream, 9, Z_DEFLATED, frame.rawValue, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK)
        defer { deflateEnd(&stream) }
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(data.count))))
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        try #require(status == Z_STREAM_END)
        return Data(output.prefix(Int(stream.total_out)))
    }

    private func response(_ data: Data, _ coding: String) -> OriginResponse {
        .image(data, type: "image/svg+xml").with(header: "Content-Encoding", value: coding)
    }

    @Test(arguments: Frame.allCases) func aCodedBodyIsDecoded(_ frame: Frame) async throws {
        try await Fixture.withOrigin { origin, load in
            let coded = try deflated(Fixture.body, frame)
            for framing in [OriginResponse.Framing.contentLength, .chunked(size: 7)] {
                origin.serve("/a", response: response(coded, frame.name).setting(\.framing, to: framing))
                let loaded = try await load("/a")
                #expect(loaded.data == Fixture.body)
                #expect(loaded.metrics?.wireBytes == coded.count && loaded.metrics?.bodyBytes == Fixture.body.count)
            }
        }
    }

    @Test func aTransportMayDecode() async throws {
        let transport = URLSessionTransport()
        var configuration = DownloaderConfiguration()
        configuration.transport = transport
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: response(try deflated(Fixture.body, .gzip), "gzip"))
            #expect(try await load("/a").data == Fixture.body)
        }
        transport.invalidate()
    }

    /// curl, wget and urllib deliver the bytes. Uploads to S3 keep `aws-chunked`.
    @Test(arguments: ["aws-chunked", "UTF-8", "none", "binary", "image/svg+xml", "identity, aws-chunked"])
    func aNameThatIsNoCodingIsIgnored(_ name: String) async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: response(Fixture.body, name))
            let loaded = try await load("/a").data
            #expect(loaded == Fixture.body)
        }
    }

    @Test func membersOfAGzipBodyAreConcatenated() async throws {
        try await Fixture.withOrigin { origin, load in
            let empty = try deflated(Data(), .gzip)
            let halves = [Fixture.body.prefix(20_000), Fixture.body.dropFirst(20_000)]
            let members = try halves.map { try deflated(Data($0), .gzip) }
            let coded = members[0] + empty + members[1]
            let framings: [OriginResponse.Framing] = [
                .contentLength, .chunked(size: 13), .chunked(size: members[0].count),
            ]
            for framing in framings {
                for padding in [Data(), Data(count: 100)] {
                    origin.serve("/a", response: response(coded + padding, "gzip").setting(\.framing, to: framing))
                    let data = try await load("/a").data
                    #expect(data == Fixture.body)
                }
            }
            origin.serve("/short", response: response(coded.dropLast(9), "gzip"))
            await Fixture.expect(.truncatedBody) { try await load("/short") }
            origin.serve("/damaged", response: response(members[0] + Data([0x1F, 0x8C]) + members[1], "gzip"))
            await Fixture.expect(.undecipherable) { try await load("/damaged") }
        }
    }

    @Test func theLimitsApplyToAllMembersTogether() async throws {
        let member = try deflated(Data(count: 90_000), .gzip)
        try await Fixture.withOrigin(limit: 1 << 20) { origin, load in
            origin.serve("/a", response: response((0..<100).reduce(Data()) { data, _ in data + member }, "gzip"))
            await Fixture.expect(.limitExceeded) { try await load("/a") }
        }
    }

    @Test(arguments: Frame.allCases) func aTruncatedCodedBodyIsAnError(_ frame: Frame) async throws {
        try await Fixture.withOrigin { origin, load in
            let coded = try deflated(Fixture.body, frame)
            origin.serve("/short", response: response(coded.prefix(coded.count / 2), frame.name))
            origin.serve(
                "/cut", response: response(coded, frame.name).setting(\.ending, to: .cut(after: coded.count / 2)))
            await Fixture.expect(.truncatedBody) { try await load("/short") }
            await Fixture.expect(.truncatedBody) { try await load("/cut") }
        }
    }

    @Test func aDamagedBodyIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: response(Fixture.body, "gzip"))
            await Fixture.expect(.undecipherable) { try await load("/a") }
        }
    }

    @Test func aCodingThatIsNotSupportedIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: response(Fixture.body, "br"))
            origin.serve("/b", response: response(Fixture.body, "gzip, gzip"))
            origin.serve("/c", response: response(Fixture.body, "identity"))
            await Fixture.expect(.undecipherable) { try await load("/a") }
            await Fixture.expect(.undecipherable) { try await load("/b") }
            let wholeC = try await load("/c").data
            #expect(wholeC == Fixture.body)
        }
    }

    @Test func aBodyThatExpandsBeyondTheLimitIsStopped() async throws {
        try await Fixture.withOrigin(limit: 100_000) { origin, load in
            // Expands little, but beyond the limit.
            let random = Data((0..<120_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
            origin.serve("/a", response: response(try deflated(random, .gzip), "gzip"))
            let error = await Fixture.expect(.limitExceeded) { try await load("/a") }
            #expect(error != nil)
        }
    }

    @Test func aDecompressionBombIsStopped() async throws {
        let megabytes = Data(count: 40 << 20)
        let bomb = try deflated(megabytes, .gzip)
        #expect(megabytes.count / bomb.count > 900)
        try await Fixture.withOrigin(limit: 64 << 20) { origin, load in
            origin.serve("/a", response: response(bomb, "gzip"))
            await Fixture.expect(.limitExceeded) { try await load("/a") }
        }
    }

    @Test func compressedBytesCountAgainstTheLimit() async throws {
        // Empty blocks, which produce no output.
        let nothing =
            Data([0x78, 0x9C]) + Data(repeating: 0, count: 0)
            + (0..<20_000).reduce(into: Data()) { data, _ in data.append(contentsOf: [0, 0, 0, 0xFF, 0xFF]) }
        try await Fixture.withOrigin(limit: 10_000) { origin, load in
            origin.serve("/a", response: response(nothing, "deflate").setting(\.framing, to: .chunked(size: 1000)))
            await Fixture.expect(.limitExceeded) { try await load("/a") }
        }
    }
}
