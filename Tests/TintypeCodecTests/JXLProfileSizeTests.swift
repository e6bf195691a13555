import Foundation
import Testing
import TintypeCore
import TintypeJXL

/// libjxl decodes a colour profile of any size before it tells the size.
@Suite struct JXLProfileSizeTests {
    typealias Bits = [(Int, Int)]

    private static let limit = 1000
    /// The number of bytes by which libjxl lets the encoded form of a profile exceed the profile.
    private static let overhead = 65_536

    /// The signature, and a size of 64×64 pixels.
    private static let size: Bits = [(0x0AFF, 16), (1, 1), (7, 5), (1, 3)]
    /// Integers of 8 bits, for which buffers of 16 bits suffice.
    private static let depth: Bits = [(0, 1), (0, 2), (1, 1)]
    /// No defaults; a profile; RGB.
    private static let profile: Bits = [(0, 1), (1, 1), (0, 2)]
    private static let noExtensions: Bits = [(0, 2)]

    /// The headers in front of the size of the profile, in all their forms.
    private static let headers: [(name: String, bits: Bits)] = [
        ("plain", size + [(0, 1), (0, 1)] + depth + [(0, 2), (0, 1)] + profile + noExtensions + [(1, 1)]),
        (
            "sides of 300 and 200 pixels, each with a field of its own",
            [(0x0AFF, 16), (0, 1), (0, 2), (199, 9), (0, 3), (0, 2), (299, 9), (0, 1), (0, 1)]
                + depth + [(0, 2), (0, 1)] + profile + noExtensions + [(1, 1)]
        ),
        (
            "a size to show, a preview, an animation, tone mapping",
            size + [(0, 1), (1, 1), (0, 3), (1, 1), (1, 1), (3, 5), (1, 3)]
                + [(1, 1), (1, 1), (2, 2), (1, 5), (0, 3), (0, 2)]
                + [(1, 1), (2, 2), (9, 10), (0, 2), (2, 2), (0, 16), (0, 1)]
                + depth + [(0, 2), (0, 1)] + profile
                // 255 cd/m², no further values.
                + [(0, 1), (0x5BF8, 16), (0, 16), (0, 1), (0, 16)] + noExtensions + [(1, 1)]
        ),
        (
            "a preview in multiples of a pixel",
            size + [(0, 1), (1, 1), (0, 3), (0, 1), (1, 1), (0, 1), (0, 2), (15, 6), (0, 3), (0, 2), (15, 6), (0, 1)]
                + depth + [(0, 2), (0, 1)] + profile + [(1, 1)] + noExtensions + [(1, 1)]
        ),
        (
            "floating-point samples, and extra channels: default, alpha with a name, spot colour, filter array",
            size + [(0, 1), (0, 1), (1, 1), (0, 2), (7, 4), (1, 1), (2, 2), (2, 4), (1, 1)]
                + [(0, 1), (0, 2), (0, 1), (0, 2), (0, 2), (1, 2), (3, 4), (0x636261, 24), (1, 1)]
                + [(0, 1), (2, 2), (0, 4), (0, 1), (0, 2), (0, 2), (0, 2)] + [(0, 16), (0, 16), (0, 16), (0, 16)]
                + [(0, 1), (2, 2), (3, 4), (0, 1), (0, 2), (0, 2), (0, 2), (2, 2), (0, 4)]
                + [(0, 1)] + profile + noExtensions + [(1, 1)]
        ),
        (
            "XYB with a matrix, and weights of upsampling",
            size + [(0, 1), (0, 1)] + depth + [(0, 2), (1, 1)] + profile + noExtensions
                + [(0, 1), (0, 1)] + [(Int, Int)](repeating: (0, 16), count: 16) + [(7, 3)]
                + [(Int, Int)](repeating: (0, 16), count: 15 + 55 + 210)
        ),
    ]

    /// Returns a file that ends behind the size of its profile.
    private func file(_ header: Bits, profileSize: Int) -> Data {
        var bits = JXLBitWriter()
        for (value, count) in header { bits.append(value, count) }
        // A number of 20 bits, and no more.
        for (value, count) in [(3, 2), (profileSize & 0xFFF, 12), (1, 1), (profileSize >> 12, 8), (0, 1)] {
            bits.append(value, count)
        }
        bits.align()
        return bits.bytes + Data(count: 64)
    }

    private func boxed(_ codestream: Data) -> Data {
        let signature = Data([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10])
        let kind = Data([0, 0, 0, 20] + "ftypjxl ".utf8 + [0, 0, 0, 0] + "jxl ".utf8)
        return signature + kind + Data([0, 0, 0, 0] + "jxlc".utf8) + codestream
    }

    private func error(_ data: Data) -> TintypeError? {
        var context = DecodeContext()
        context.limits.profileBytes = Self.limit
        return #expect(throws: TintypeError.self) { _ = try JXLDecoder().decode(data, context: context) }
    }

    @Test(arguments: headers.indices) func aProfileOfTooManyBytesIsRefused(_ index: Int) throws {
        let (name, header) = Self.headers[index]
        for isBoxed in [false, true] {
            let files = [0, 1].map { file(header, profileSize: Self.limit + Self.overhead + $0) }
            let errors = files.map { error(isBoxed ? boxed($0) : $0) }
            #expect(errors[0]?.limit != .profileBytes, "\(name)")
            #expect(errors[1]?.limit == .profileBytes, "\(name): \(String(describing: errors[1]))")
        }
    }

    /// libjxl reads the headers above, too. Of an animation it needs the frames.
    @Test(arguments: headers.indices) func theHeadersAreThoseOfTheFormat(_ index: Int) throws {
        let info = try JXLDecoder().info(of: file(Self.headers[index].bits, profileSize: 100), isComplete: false)
        #expect(info?.size.height == [64, 200, nil, 64, 64, 64][index])
    }

    @Test func extensionsBeforeAProfileAreRefused() {
        var header = Self.size + [(0, 1), (0, 1)] + Self.depth + [(0, 2), (0, 1)] + Self.profile
        header += [(1, 2), (0, 4), (0, 2), (1, 1)]
        #expect(error(file(header, profileSize: 100))?.limit == .library)
    }
}
