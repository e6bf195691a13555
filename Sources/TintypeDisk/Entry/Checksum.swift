import CXXHash
import TintypeCore

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

/// A ``Checksum`` of bytes that arrive in pieces, such as those of a body in a spill file.
final class RunningChecksum: SpillFollower {
    /// Unchecked, because the compiler does not know that it is used only under the lock of ``count``.
    nonisolated(unsafe) private let state = XXH3_createState()
    private let count = Locked(0)

    init() {
        XXH3_64bits_reset(state)
    }

    deinit {
        XXH3_freeState(state)
    }

    /// Adds bytes. Those that do not follow the earlier ones are left out, so that there is no checksum.
    func didWrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        count.withLock { count in
            guard count == offset else { return }
            XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
            count += bytes.count
        }
    }

    /// Returns the checksum; `nil` if not exactly the first `expected` bytes were added.
    func value(ofFirst expected: Int) -> UInt64? {
        count.withLock { $0 == expected ? XXH3_64bits_digest(state) : nil }
    }
}
