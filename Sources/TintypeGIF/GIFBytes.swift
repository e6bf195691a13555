import TintypeCore

/// The bytes of a GIF, or the beginning of it, read from one place on. Numbers are little-endian.
struct GIFBytes {
    /// There are no more bytes.
    struct End: Error {}

    let bytes: UnsafeRawBufferPointer
    private(set) var place = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func byte() throws(End) -> UInt8 {
        bytes[try skip(1).lowerBound]
    }

    mutating func number() throws(End) -> Int {
        let low = try byte()
        return Int(low) | Int(try byte()) << 8
    }

    /// The place of the next `count` bytes, which are passed over.
    @discardableResult
    mutating func skip(_ count: Int) throws(End) -> Range<Int> {
        guard count <= bytes.count - place else { throw End() }
        defer { place += count }
        return place..<place + count
    }

    /// The place of the next data sub-block (GIF89a, 15); `nil` for the one without data that ends a row of them.
    mutating func subBlock() throws(End) -> Range<Int>? {
        let count = Int(try byte())
        return count == 0 ? nil : try skip(count)
    }

    mutating func skipSubBlocks() throws(End) {
        while try subBlock() != nil {}
    }

    mutating func skipRest() {
        place = bytes.count
    }

    /// Leaves the last byte to be read again.
    mutating func stepBack() {
        place = max(0, place - 1)
    }
}
