import Foundation
import Testing

extension Data {
    /// Returns a big-endian number of four bytes, as in ISO base media files.
    func number(at offset: Int) -> Int { self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }

    /// Stores a big-endian number of four bytes.
    mutating func setNumber(_ number: Int, at offset: Int) {
        for index in 0..<4 { self[offset + index] = UInt8(number >> (24 - 8 * index) & 255) }
    }

    /// Inserts a box into the first track of a sequence, and adjusts the sizes around it and the chunk offsets.
    mutating func insert(_ box: Data, intoFirstTrackAt offset: Int) throws {
        for kind in ["moov", "trak"] {
            let start = try #require(firstRange(of: Data(kind.utf8))).lowerBound - 4
            setNumber(number(at: start) + box.count, at: start)
        }
        var rest = startIndex
        while let found = self[rest...].firstRange(of: Data("stco".utf8)) {
            for index in 0..<number(at: found.upperBound + 4) {
                let entry = found.upperBound + 8 + 4 * index
                setNumber(number(at: entry) + box.count, at: entry)
            }
            rest = found.upperBound
        }
        insert(contentsOf: box, at: offset)
    }
}
