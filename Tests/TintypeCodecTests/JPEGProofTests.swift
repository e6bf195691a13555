import Foundation
import Testing
import TintypeCore
import TintypeJPEG

/// Files made to test each rule of the proof that a JPEG is whole.
@Suite struct JPEGProofTests {
    /// A file of a kind that random changes of photos do not produce.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isProven: Bool
        var file = Data()

        init(_ name: String, isProven: Bool, _ build: (inout JPEGBuilder) -> Void) {
            (self.name, self.isProven) = (name, isProven)
            var builder = JPEGBuilder.standard()
            build(&builder)
            file = builder.file
        }

        var testDescription: String { name }
    }

    /// Of two blocks, each of which takes two bits: no DC difference, no further coefficient.
    private static let sequential = [
        Case("sequential", isProven: true) {
            $0.addFrame(0xC0)
            $0.addScan("0000")
        },
        Case("a scan for each component", isProven: true) {
            $0.addFrame(0xC0, sampling: [0x11, 0x11, 0x11])
            for component in UInt8(1)...3 { $0.addScan(of: [component], "0000") }
        },
        Case("two of three components interleaved", isProven: true) {
            $0.addFrame(0xC0, sampling: [0x11, 0x11, 0x11])
            $0.addScan(of: [1, 3], "00000000")
            $0.addScan(of: [2], "0000")
        },
        Case("a component without a scan", isProven: false) {
            $0.addFrame(0xC0, sampling: [0x11, 0x11, 0x11])
            $0.addScan(of: [1, 3], "00000000")
        },
        Case("fill bytes before the end marker", isProven: true) {
            $0.addFrame(0xC0)
            $0.addScan("0000")
            $0.add(raw: [0xFF, 0xFF])
        },
        Case("a byte too many", isProven: false) {
            $0.addFrame(0xC0)
            $0.addScan("0000" + "1111" + "01010101")
        },
        Case("a byte too few", isProven: false) {
            $0.addFrame(0xC0, width: 64)
            $0.addScan("00000000")
        },
        Case("a coefficient beyond the last one", isProven: false) {
            $0.addCodes(0x10, [[0x00], [0xF1]])
            $0.addFrame(0xC0, width: 8)
            // 15 zeros and a coefficient of one bit, five times.
            $0.addScan("0" + String(repeating: "101", count: 5))
        },
        Case("an excess of blocks in an MCU", isProven: false) {
            $0.addFrame(0xC0, sampling: [0x22, 0x22, 0x22])
            $0.addScan(of: [1, 2, 3], String(repeating: "00", count: 12))
        },
        Case("sampling factors that do not divide each other", isProven: false) {
            $0.addFrame(0xC0, sampling: [0x31, 0x21, 0x11])
            $0.addScan(of: [1, 2, 3], String(repeating: "00", count: 6))
        },
        Case("a DC symbol of 16 bits", isProven: false) {
            $0.addCodes(0x00, [[0], [16]])
            $0.addFrame(0xC0)
            $0.addScan("0000")
        },
        Case("a code of ones only", isProven: false) {
            $0.addCodes(0x00, [[0, 1]])
            $0.addFrame(0xC0)
            $0.addScan("0000")
        },
    ]

    private static let progressive = [
        Case("DC alone", isProven: true) {
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, "00")
        },
        Case("AC before DC", isProven: false) {
            $0.addFrame(0xC2)
            $0.addScan(band: 1...63, "00")
            $0.addScan(band: 0...0, "00")
        },
        Case("a table redefined between scans", isProven: true) {
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, "00")
            $0.addScan(band: 1...5, "00")
            // The end of a block is 10 now, and 0 is a coefficient.
            $0.addCodes(0x10, [[0x01], [0x00]])
            $0.addScan(band: 6...63, "1010")
        },
        Case("an EOB run up to the last block", isProven: true) {
            $0.addCodes(0x10, [[0x10]])
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, "00")
            $0.addScan(band: 1...63, "00")
        },
        Case("an EOB run beyond the last block", isProven: false) {
            $0.addCodes(0x10, [[0x10]])
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, "00")
            $0.addScan(band: 1...63, "01")
        },
        Case("restart markers", isProven: true) {
            $0.addFrame(0xC2)
            $0.add(0xDD, [0, 1])
            $0.addScan(band: 0...0, "0", "0")
            $0.addScan(band: 1...63, "0", "0")
        },
        Case("an EOB run beyond a restart marker", isProven: false) {
            $0.addCodes(0x10, [[0x10]])
            $0.addFrame(0xC2)
            $0.add(0xDD, [0, 1])
            $0.addScan(band: 0...0, "0", "0")
            $0.addScan(band: 1...63, "00", "")
        },
        Case("zeros beyond the band", isProven: false) {
            $0.addCodes(0x10, [[0x00], [0xF0]])
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, "00")
            $0.addScan(band: 1...5, "1010")
        },
        Case("a refinement", isProven: true) {
            $0.addCodes(0x10, [[0x00], [0x01]])
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, approximation: 0x01, "00")
            $0.addScan(band: 0...0, approximation: 0x10, "01")
            // Each block has one coefficient, of value 1, and its sign.
            $0.addScan(band: 1...63, approximation: 0x01, "10101010")
            // The end of the block, and a correction.
            $0.addScan(band: 1...63, approximation: 0x10, "0101")
        },
        Case("a refinement by more than one bit", isProven: false) {
            $0.addCodes(0x10, [[0x00], [0x02]])
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, "00")
            $0.addScan(band: 1...63, approximation: 0x01, "00")
            $0.addScan(band: 1...63, approximation: 0x10, "10110110")
        },
        Case("a refinement that leaves a bit out", isProven: false) {
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, approximation: 0x02, "00")
            $0.addScan(band: 0...0, approximation: 0x20, "00")
        },
        // libjpeg keeps 8 << 13 in 16 bits, which makes it 0, so that no correction follows.
        Case("a coefficient of more than 16 bits", isProven: false) {
            $0.addCodes(0x10, [[0x04]])
            $0.addFrame(0xC2)
            $0.addScan(band: 0...0, "00")
            $0.addScan(band: 1...1, approximation: 0x0D, "0100001000")
            $0.addCodes(0x10, [[0x00]])
            $0.addScan(band: 1...1, approximation: 0xDC, "0101")
        },
        Case("components in order", isProven: true) {
            $0.addFrame(0xC2, sampling: [0x11, 0x11, 0x11])
            $0.addScan(of: [1, 2, 3], band: 0...0, approximation: 0x01, "000000")
            $0.addScan(of: [1, 2, 3], band: 0...0, approximation: 0x10, "000000")
        },
        Case("components out of order", isProven: false) {
            $0.addFrame(0xC2, sampling: [0x11, 0x11, 0x11])
            $0.addScan(of: [1, 2, 3], band: 0...0, approximation: 0x01, "000000")
            $0.addScan(of: [2, 1, 3], band: 0...0, approximation: 0x10, "000000")
        },
    ]

    @Test(arguments: sequential + progressive) func eachRuleDecides(_ example: Case) throws {
        let decoder = JPEGDecoder()
        let info = try? decoder.verifiedInfo(of: example.file, context: DecodeContext())
        #expect((info != nil) == example.isProven)
        guard example.isProven else { return }
        var options = DecodeOptions()
        options.damageTolerance = .none
        for size in [DecodeOptions.Size.full, .fit(PixelSize(width: 1, height: 1))] {
            options.size = size
            #expect(throws: Never.self) {
                try decoder.decode(example.file, context: DecodeContext(options: options))
            }
        }
    }

    /// Tables that a scan needs.
    @Test(arguments: [0xDB, 0xC4] as [UInt8]) func aMissingTableIsNoProof(_ marker: UInt8) throws {
        var builder = marker == 0xDB ? JPEGBuilder.standard(quantization: Data()) : JPEGBuilder()
        if marker == 0xC4 {
            builder.add(0xDB, [0] + [UInt8](repeating: 1, count: 64))
            builder.addCodes(0x00, [[0]])
        }
        builder.addFrame(0xC0)
        builder.addScan("0000")
        #expect((try? JPEGDecoder().verifiedInfo(of: builder.file, context: DecodeContext())) == nil)
    }

    @Test func quantizationTablesMayHave16Bits() throws {
        let table = JPEGBuilder.segment(0xDB, [0x10] + [UInt8](repeating: 1, count: 128))
        var builder = JPEGBuilder.standard(quantization: table)
        builder.addFrame(0xC1)
        builder.addScan("0000")
        #expect(try JPEGDecoder().verifiedInfo(of: builder.file, context: DecodeContext()) != nil)
        #expect(try JPEGDecoder().decode(builder.file, context: DecodeContext()).info.warnings.isEmpty)
    }
}
