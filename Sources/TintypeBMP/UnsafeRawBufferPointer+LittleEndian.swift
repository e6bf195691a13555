extension UnsafeRawBufferPointer {
    /// Two bytes at a place that is known to be there.
    package func littleEndian16(at place: Int) -> Int {
        Int(UInt16(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt16.self)))
    }

    /// Four bytes at a place that is known to be there.
    package func littleEndian32(at place: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
}
