import Foundation
import TintypeCore

/// The head of an entry's file: everything about the entry but its bytes.
///
/// A file is `fixed part · source · rendition · format · metadata · payload`, integers little-endian. The fixed part:
///
/// | offset | bytes | what |
/// | ---: | ---: | --- |
/// | 0 | 8 | `TINTYPE` and a zero |
/// | 8 | 4 | version, 1 |
/// | 12 | 4 | bytes of the key's source |
/// | 16 | 4 | bytes of the key's rendition |
/// | 20 | 4 | bytes of the format's name |
/// | 24 | 8 | bytes of the metadata |
/// | 32 | 8 | bytes of the payload |
/// | 40 | 8 | when it was created, microseconds since 1970 |
/// | 48 | 8 | when it expires, likewise; 0 is never |
/// | 56 | 8 | checksum of the payload |
/// | 64 | 8 | checksum of all before the payload, these eight bytes left out |
struct EntryHeader: Equatable {
    static let version: UInt32 = 1
    static let fixedLength = 72
    /// No honest key or metadata comes near; a damaged length must not claim memory.
    static let maximumVariableLength = 16 << 20

    var key: CacheKey
    var format: ImageFormat?
    var metadata: Data
    var payloadLength: Int
    var payloadChecksum: UInt64
    var created: Date
    var expires: Date?

    /// Bytes before the payload.
    var length: Int { Self.fixedLength + variablePart.count }

    private static let magic = Data("TINTYPE\0".utf8)
}

// MARK: - Writing

extension EntryHeader {
    init(_ entry: CacheEntry, for key: CacheKey) {
        self.key = key
        format = entry.format
        metadata = entry.metadata
        payloadLength = entry.data.count
        payloadChecksum = entry.data.withUnsafeBytes(Checksum.of)
        created = entry.created
        expires = nil
    }

    var encoded: Data {
        let fixed = encodedFixedPart
        let variable = variablePart
        let checksum = Self.checksum(fixed, variable)
        return fixed + Self.bytes(checksum) + variable
    }

    private var encodedFixedPart: Data {
        var data = Self.magic
        data += Self.bytes(Self.version)
        data += Self.bytes(UInt32(key.source.utf8.count))
        data += Self.bytes(UInt32(key.rendition.utf8.count))
        data += Self.bytes(UInt32(format?.rawValue.utf8.count ?? 0))
        data += Self.bytes(UInt64(metadata.count))
        data += Self.bytes(UInt64(payloadLength))
        data += Self.bytes(created.microseconds)
        data += Self.bytes(expires?.microseconds ?? 0)
        data += Self.bytes(payloadChecksum)
        return data
    }

    private var variablePart: Data {
        Data(key.source.utf8) + Data(key.rendition.utf8) + Data((format?.rawValue ?? "").utf8) + metadata
    }

    private static func checksum(_ fixed: Data, _ variable: Data) -> UInt64 {
        let first = fixed.withUnsafeBytes(Checksum.of)
        return variable.withUnsafeBytes { Checksum.of($0, seed: first) }
    }

    private static func bytes(_ value: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }
}

// MARK: - Reading

extension EntryHeader {
    /// Reads and verifies a head. `nil` for anything but a whole, undamaged head of this version.
    ///
    /// - Parameters:
    ///   - bytes: the beginning of a file, at least to the end of its head.
    ///   - expected: whose entry it must be; then its strings are compared where they are and not made again.
    init?(decoding bytes: UnsafeRawBufferPointer, for expected: CacheKey? = nil) {
        guard let lengths = Lengths(bytes), bytes.count >= Self.fixedLength + lengths.variable else { return nil }
        let fixed = UnsafeRawBufferPointer(rebasing: bytes[..<64])
        let variable = UnsafeRawBufferPointer(rebasing: bytes[Self.fixedLength..<Self.fixedLength + lengths.variable])
        let checksum = Checksum.of(variable, seed: Checksum.of(fixed))
        guard checksum == bytes.integer(at: 64, as: UInt64.self) else { return nil }
        var rest = variable[...]
        func take(_ count: Int) -> Slice<UnsafeRawBufferPointer> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        let (source, rendition) = (take(lengths.source), take(lengths.rendition))
        if let expected {
            guard source.elementsEqual(expected.source.utf8), rendition.elementsEqual(expected.rendition.utf8) else {
                return nil
            }
            key = expected
        } else {
            key = CacheKey(
                source: String(decoding: source, as: UTF8.self), rendition: String(decoding: rendition, as: UTF8.self))
        }
        let format = String(decoding: take(lengths.format), as: UTF8.self)
        self.format = format.isEmpty ? nil : ImageFormat(rawValue: format)
        metadata = Data(take(lengths.metadata))
        payloadLength = lengths.payload
        created = Date(microseconds: bytes.integer(at: 40, as: Int64.self))
        let expiry = bytes.integer(at: 48, as: Int64.self)
        expires = expiry == 0 ? nil : Date(microseconds: expiry)
        payloadChecksum = bytes.integer(at: 56, as: UInt64.self)
    }

    /// The lengths in the fixed part, checked against absurdity but not yet against damage.
    struct Lengths {
        let source: Int
        let rendition: Int
        let format: Int
        let metadata: Int
        let payload: Int

        var variable: Int { source + rendition + format + metadata }
        /// Bytes of the whole file.
        var file: Int { EntryHeader.fixedLength + variable + payload }

        /// `nil` when this is not the fixed part of a file of this version.
        init?(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count >= EntryHeader.fixedLength, bytes.prefix(8).elementsEqual(magic),
                bytes.integer(at: 8, as: UInt32.self) == version
            else { return nil }
            source = Int(bytes.integer(at: 12, as: UInt32.self))
            rendition = Int(bytes.integer(at: 16, as: UInt32.self))
            format = Int(bytes.integer(at: 20, as: UInt32.self))
            metadata = Int(clamping: bytes.integer(at: 24, as: UInt64.self))
            payload = Int(clamping: bytes.integer(at: 32, as: UInt64.self))
            let limit = EntryHeader.maximumVariableLength
            guard source <= limit, rendition <= limit, format <= limit, metadata <= limit, payload < 1 << 48 else {
                return nil
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension Date {
    fileprivate var microseconds: Int64 { Int64((timeIntervalSince1970 * 1_000_000).rounded()) }

    fileprivate init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}
