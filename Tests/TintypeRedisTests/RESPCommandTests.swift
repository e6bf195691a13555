import Foundation
import Testing

@testable import TintypeRedis

/// Encodes commands as the specification of the protocol describes requests: arrays of bulk strings.
@Suite struct RESPCommandTests {
    private func text(_ command: RESPCommand) -> String { String(decoding: command.bytes, as: UTF8.self) }

    @Test func aCommandIsAnArrayOfBulkStrings() {
        // The example of the specification.
        #expect(text(RESPCommand("LLEN", "mylist")) == "*2\r\n$4\r\nLLEN\r\n$6\r\nmylist\r\n")
    }

    @Test func argumentsMayContainAnyBytes() {
        let command = RESPCommand("SET", .text("clé"), .bytes(Data("\r\n\0".utf8)), "PX", .number(-12), .bytes(Data()))
        #expect(
            text(command)
                == "*6\r\n$3\r\nSET\r\n$4\r\nclé\r\n$3\r\n\r\n\0\r\n$2\r\nPX\r\n$3\r\n-12\r\n$0\r\n\r\n")
    }

    @Test func aDecoderReadsWhatWasEncoded() throws {
        let command = RESPCommand("SET", "key", .bytes(Data(0...255)))
        let reply = try RESPDecoder.decode(command.bytes).first
        #expect(reply == .array([.bulk(Data("SET".utf8)), .bulk(Data("key".utf8)), .bulk(Data(0...255))]))
    }
}

extension RESPDecoder {
    /// Decodes bytes in pieces.
    static func decode(
        _ pieces: Data..., limits: RESPLimits = RESPLimits(bulkSize: 1000)
    ) throws(RESPViolation) -> [RESPValue] {
        try decode(pieces, limits: limits)
    }

    static func decode(
        _ pieces: [Data], limits: RESPLimits = RESPLimits(bulkSize: 1000)
    ) throws(RESPViolation) -> [RESPValue] {
        var (decoder, values) = (RESPDecoder(limits), [RESPValue]())
        for piece in pieces {
            // Data.withUnsafeBytes has untyped errors.
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            defer { bytes.deallocate() }
            bytes.copyBytes(from: piece)
            try decoder.decode(UnsafeRawBufferPointer(bytes)) { values.append($0) }
        }
        return values
    }
}
