import Foundation
import TintypeCore

/// The boxes of a still HEIC of libheif that also describe the still image of a sequence.
struct HEIFStillBoxes {
    /// The items of the file, with their box.
    let meta: Data
    /// The contents of the box with the coded bytes, in the file.
    let media: Range<Int>
    /// The brands with which the file is compatible, four letters each.
    private let brands: [String]
    /// The fields of ``meta`` with offsets in the file.
    private let offsets: [Range<Int>]

    /// Reads a file.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` if it is not built as expected.
    init(_ file: Data) throws(TintypeError) {
        do throws(TintypeError) {
            self = try file.withTypedBytes { raw throws(TintypeError) in try Self(ISOFile(bytes: raw)) }
        } catch {
            throw .unexpectedStill("the boxes cannot be read", underlying: error)
        }
    }

    private init(_ file: ISOFile) throws(TintypeError) {
        let all = 0..<file.bytes.count
        let type = try file.requiredBox("ftyp", in: all).body
        brands = stride(from: type.lowerBound + 8, to: type.upperBound - 3, by: 4).map {
            String(decoding: file.bytes[$0..<$0 + 4], as: UTF8.self)
        }
        let box = try file.requiredBox("meta", in: all)
        media = try file.requiredBox("mdat", in: all).body
        meta = Data.box("meta", Data(file.bytes[box.body]))
        var locations = ISOItemLocations(file, try file.requiredBox("iloc", in: box.fullBody).body, data: nil)
        _ = try locations.read()
        let start = box.body.lowerBound - 8
        offsets = locations.fileOffsets.map { $0.lowerBound - start..<$0.upperBound - start }
    }

    /// The file type of a sequence that is also the still image.
    var sequenceType: Data {
        let names = ["hevc", "\0\0\0\0", "msf1", "hevc", "iso8"] + brands
        return .box("ftyp", Data(names.joined().utf8))
    }

    /// Returns ``meta`` for media data that lie elsewhere.
    ///
    /// - Parameter distance: The number of bytes by which they are moved.
    /// - Throws: `TintypeError.Code.encodeFailed` if offsets are not numbers of four or eight bytes.
    func movedMeta(by distance: Int) throws(TintypeError) -> Data {
        var moved = meta
        for field in offsets {
            guard !field.isEmpty else { throw .unexpectedStill("the offset of an item is missing") }
            let offset = meta[field].reduce(0) { $0 << 8 | Int($1) }
            moved.replaceSubrange(field, with: Data.numbers(offset + distance, size: field.count))
        }
        return moved
    }
}
