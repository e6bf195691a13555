import Foundation

/// The blocks of a GIF with metadata (GIF 89a, 24 and 26; XMP specification, part 3, 1.1.2).
struct GIFBlocks {
    /// The texts of the comments, in the order of the file.
    private(set) var comments: [Data] = []
    /// The range of the XMP packet; `nil` if there is none.
    private(set) var xmp: Range<Int>?

    /// What begins the application extension with an XMP packet: its length, identifier and authentication code.
    private static let xmpStart = Data([11]) + Data("XMP DataXMP".utf8)
    /// The bytes after a packet, which a reader that knows only blocks skips, wherever it begins.
    private static let trailer = Data([1]) + Data((0...255).reversed()) + Data([0])

    private let bytes: Data

    /// Reads the blocks before the first damage.
    ///
    /// - Parameters:
    ///   - bytes: A GIF, whose indices begin at 0.
    ///   - limit: The largest number of bytes of all comments together.
    init(_ bytes: Data, limit: Int) {
        self.bytes = bytes
        var (offset, left) = (Self.headLength(bytes) ?? bytes.count, limit)
        while offset + 2 <= bytes.count {
            switch (bytes[offset], bytes[offset + 1]) {
            case (0x21, 0xFE):
                let text = blocks(at: offset + 2, limit: left)
                guard let text else { return }
                comments.append(text)
                left -= text.count
                offset += 2
            case (0x21, 0xFF) where bytes[(offset + 2)...].starts(with: Self.xmpStart):
                let start = offset + 2 + Self.xmpStart.count
                guard let end = end(at: start) else { return }
                // The blocks of the packet end where the trailer does.
                let packet = start..<max(end - Self.trailer.count, start)
                if xmp == nil, bytes[packet.upperBound..<end] == Self.trailer { xmp = packet }
                offset += 2
            case (0x21, _): offset += 2
            case (0x2C, _):
                guard offset + 10 <= bytes.count else { return }
                // The descriptor, a colour table, and the size of codes.
                offset += 10 + Self.tableLength(bytes[offset + 9]) + 1
            default: return
            }
            guard let end = end(at: offset) else { return }
            offset = end
        }
    }

    /// Returns the number of bytes of the signature, the screen and its colour table.
    static func headLength(_ bytes: Data) -> Int? {
        guard bytes.count >= 13, bytes.starts(with: Data("GIF8".utf8)) else { return nil }
        let length = 13 + tableLength(bytes[10])
        return length <= bytes.count ? length : nil
    }

    private static func tableLength(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// Returns the end of a sequence of blocks, after the empty one.
    private func end(at start: Int) -> Int? {
        var offset = start
        while offset < bytes.count, bytes[offset] != 0 { offset += Int(bytes[offset]) + 1 }
        return offset < bytes.count ? offset + 1 : nil
    }

    /// Returns the contents of a sequence of blocks; `nil` if it is damaged or too long.
    private func blocks(at start: Int, limit: Int) -> Data? {
        guard end(at: start) != nil else { return nil }
        var (offset, contents) = (start, Data())
        while bytes[offset] != 0 {
            let length = Int(bytes[offset])
            contents += bytes[offset + 1..<offset + 1 + length]
            guard contents.count <= limit else { return nil }
            offset += length + 1
        }
        return contents
    }

    // MARK: Writing

    /// Returns the file with a comment and an XMP packet before its last byte.
    ///
    /// - Parameter data: A GIF that Tintype's encoder has written.
    static func inserting(comment: String?, xmp: Data?, into data: Data) -> Data {
        guard comment != nil || xmp != nil, data.last == 0x3B, headLength(data) != nil else { return data }
        // Extensions exist since version 89a.
        var file = Data("GIF89a".utf8) + data.dropFirst(6).dropLast()
        if let comment {
            file += [0x21, 0xFE]
            var text = Data(comment.utf8)[...]
            while !text.isEmpty {
                let block = text.prefix(255)
                file.append(UInt8(block.count))
                file += block
                text = text.dropFirst(255)
            }
            file.append(0)
        }
        // A packet has no zeros, at which its blocks would end.
        if let xmp, !xmp.contains(0) { file += Data([0x21, 0xFF]) + xmpStart + xmp + trailer }
        return file + [0x3B]
    }
}
