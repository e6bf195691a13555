extension PixelBuffer {
    /// Reads a byte of every page, so that each is in memory. Returns something of them, so that the reads are made.
    @inline(never) @discardableResult
    func touchPages() -> UInt8 {
        withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.smallestPage).reduce(into: UInt8(0)) { $0 ^= bytes[$1] }
        }
    }

    /// Bytes of a page of memory, where pages are smallest.
    private static let smallestPage = 4096
}
