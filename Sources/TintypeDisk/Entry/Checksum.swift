import CXXHash

/// XXH3, 64 bits: fast enough to verify every read, and no single changed byte has been seen to pass it.
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        XXH3_64bits(bytes.baseAddress, bytes.count)
    }

    /// A checksum of two pieces, one of which depends on the other's.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    }
}
