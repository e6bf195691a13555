import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Tests bodies in the coding `zstd` (RFC 8878, RFC 9659).
@Suite(.timeLimited) struct ZstdTests {
    /// A frame with the first 20,000 bytes of `Fixture.body`, and one with the others, by zstd 1.5.4 at level 19.
    private static let frames = [
        """
        KLUv/QRotQsABBAAHz5dfJu62fgXNlV0k7LR8A8uTWyLqsnoByZFZIOiweD/Hj1ce5q52PcWNVRzkrHQ7w4tTGuKqcjnBiVEY4KhwN/+HTxb
        epm41/YVNFNykbDP7g0sS2qJqMfmBSRDYoGgv979HDtaeZi31vUUM1JxkK/O7QwrSmmIp8blBCNCYYCfvt38GzpZeJe21fQTMlFwj67N7Asq
        SWiHpsXkAyJBYH+evdz7GjlYd5a11PMSMVBvjq3M6wopSGeGpcTjAiFAX36dvNv6GThXdpW00/IRME9ujazL6gkoR2aFpMPiASA/Xn2cu9r5
        GDdWdZSz0vEQL05tjKvK6QgnRmWEo8LhgJuo4e//vwHwNdYS+P8/QTD4/QO4cOHClSuuXLhw4cINVy5cuXDFhRsXblxww4ULF26448aFC1cu
        3HLhwoULV1y5cOWCCzfcuHDjwhUXLly44cYdFy5cuXDNhQsXXLhwy4UrFy5ccePCjQtXxiVJRADillULyO7R
        """,
        """
        KLUv/QRoLQ0ABBAuTWyLqsnoByZFZIOiweD/Hj1ce5q52PcWNVRzkrHQ7w4tTGuKqcjnBiVEY4KhwN/+HTxbepm41/YVNFNykbDP7g0sS2qJ
        qMfmBSRDYoGgv979HDtaeZi31vUUM1JxkK/O7QwrSmmIp8blBCNCYYCfvt38GzpZeJe21fQTMlFwj67N7AsqSWiHpsXkAyJBYH+evdz7GjlY
        d5a11PMSMVBvjq3M6wopSGeGpcTjAiFAX36dvNv6GThXdpW00/IRME9ujazL6gkoR2aFpMPiASA/Xn2cu9r5GDdWdZSz0vEQL05tjKvK6Qgn
        RmWEo8LhAB8+XXybutn4FzZVdJOy0fAPgOqo8ev/NQfwNdYS+P/fYLBCcH/AhQsXbtxw48KFC1dcccONK3fuuXPnzp177rlz586de+7cuXPn
        njv33Llz5547d+7cuefOPXfu3Lnnzp07d+65c+eeO3fuuXPnzp177ty5586de+7cuXPnnjt37txz5547d+7cuefOnTv33Lnnzp07d+65c+fO
        nXvuuXPnzp177ty5c+eeOyiAR5KqYDKQVblfjas=
        """,
    ].map { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) ?? Data() }

    /// A frame with one byte, and a window of 2 to the power of `logarithm` bytes (RFC 8878, 3.1.1.1.2).
    private static func frame(window logarithm: UInt8) -> Data {
        Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, (logarithm - 10) << 3, 0x09, 0x00, 0x00, UInt8(ascii: "A")])
    }

    private func response(_ data: Data) -> OriginResponse {
        .image(data, type: "image/svg+xml").with(header: "Content-Encoding", value: "zstd")
    }

    @Test func framesAreDecodedAndConcatenated() async throws {
        try await Fixture.withOrigin { origin, load in
            let coded = Self.frames[0] + Self.frames[1]
            let framings: [OriginResponse.Framing] = [
                .contentLength, .chunked(size: 7), .chunked(size: Self.frames[0].count),
            ]
            for framing in framings {
                origin.serve("/a", response: response(coded).setting(\.framing, to: framing))
                let loaded = try await load("/a")
                #expect(loaded.data == Fixture.body)
                #expect(loaded.metrics?.wireBytes == coded.count)
            }
        }
    }

    @Test func anIncompleteOrDamagedFrameIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/short", response: response(Self.frames[0] + Self.frames[1].dropLast(9)))
            origin.serve("/damaged", response: response(Self.frames[0] + Data("trailing".utf8)))
            await Fixture.expect(.truncatedBody) { try await load("/short") }
            await Fixture.expect(.undecipherable) { try await load("/damaged") }
        }
    }

    @Test func aWindowOfMoreThanEightMegabytesIsRefused() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", response: response(Self.frame(window: 23)))
            origin.serve("/b", response: response(Self.frame(window: 24)))
            let data = try await load("/a").data
            #expect(data == Data("A".utf8))
            await Fixture.expect(.undecipherable) { try await load("/b") }
        }
    }

    @Test func aDecompressionBombIsStopped() async throws {
        // Blocks of 4 bytes that stand for 128 KB of zeros each (RFC 8878, 3.1.1.2).
        let block = Data([0x02, 0x00, 0x10, 0x00])
        let header = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 7 << 3])
        let bomb = (0..<300).reduce(header) { data, _ in data + block } + Data([0x01, 0x00, 0x00])
        try await Fixture.withOrigin(limit: 64 << 20) { origin, load in
            origin.serve("/a", response: response(bomb))
            await Fixture.expect(.limitExceeded) { try await load("/a") }
        }
    }
}
