import CXXHash

/// ``Checksum`` of bytes that come in pieces.
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
