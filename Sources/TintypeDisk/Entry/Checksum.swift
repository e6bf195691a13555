import CXXHash

/// The XXH3 checksum with 64 bits. It is fast enough to verify every read, and it detects every change of a single byte
/// that the tests make.
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        tintype_xxh3(bytes.baseAddress, bytes.count)
    }

    /// The checksum of bytes that follow others, whose checksum is the seed.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    }
}

/// A ``Checksum`` of bytes that arrive in pieces.
struct RunningChecksum: ~Copyable {
    private let state = XXH3_createState()

    init() {
        XXH3_64bits_reset(state)
    }

    deinit {
        XXH3_freeState(state)
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
    }

    var value: UInt64 { XXH3_64bits_digest(state) }
}
