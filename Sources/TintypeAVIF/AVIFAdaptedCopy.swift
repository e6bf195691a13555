import Foundation
import TintypeCore

/// A copy of a file that differs only in what libavif 0.11 reads wrongly: it takes every auxiliary track for alpha,
/// also one of depth, and refuses a box whose size of 0 means the rest of the file.
final class AVIFAdaptedCopy {
    private let copy: UnsafeMutableRawBufferPointer

    /// Copies a file if libavif needs a copy.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    static func ifNeeded(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> AVIFAdaptedCopy? {
        let file = ISOFile(bytes: bytes)
        var changes: [(offset: Int, number: Int)] = []
        for box in file.intactBoxes(in: 0..<bytes.count) {
            if let change = openEnd(file, box) { changes.append(change) }
            guard box.kind == "moov" else { continue }
            for track in file.intactBoxes(in: box.body) where track.kind == "trak" {
                guard let reference = try? otherAuxiliary(file, track.body) else { continue }
                // No track has this number.
                changes.append((reference, 0xFFFF_FFFF))
            }
        }
        return changes.isEmpty ? nil : try AVIFAdaptedCopy(bytes, changes)
    }

    private init(
        _ bytes: UnsafeRawBufferPointer, _ changes: [(offset: Int, number: Int)]
    ) throws(TintypeError) {
        // Swift's own allocation traps when memory runs out.
        guard let start = malloc(max(bytes.count, 1)) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to copy an AVIF")
        }
        copy = UnsafeMutableRawBufferPointer(start: start, count: bytes.count)
        copy.copyMemory(from: bytes)
        for change in changes {
            copy.storeBytes(of: UInt32(change.number).bigEndian, toByteOffset: change.offset, as: UInt32.self)
        }
    }

    deinit {
        free(copy.baseAddress)
    }

    /// The bytes of the copy, which live as long as this object.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(copy) }

    /// Returns the size of a box that extends to the end of the file, and the position for it; `nil` for a box that
    /// states it.
    private static func openEnd(_ file: ISOFile, _ box: ISOBox) -> (offset: Int, number: Int)? {
        let start = box.body.lowerBound - 8
        let isLast = box.body.upperBound == file.bytes.count && file.bytes.count < 1 << 31
        guard isLast, start >= 0, (try? file.number(at: start, in: 0..<file.bytes.count)) == 0,
            file.bytes[start + 4..<start + 8].elementsEqual(box.kind.utf8)
        else { return nil }
        return (start, file.bytes.count - start)
    }

    private static let alphaKinds: Set<String> = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]

    /// Returns the position of the reference of an auxiliary track that states another kind than alpha (`auxi`: ISO/IEC
    /// 23008-12, 7.5.2); `nil` for other tracks.
    private static func otherAuxiliary(_ file: ISOFile, _ track: Range<Int>) throws(TintypeError) -> Int? {
        guard let references = try file.box("tref", in: track)?.body,
            let reference = try file.box("auxl", in: references)?.body, reference.count >= 4,
            let media = try file.box("mdia", in: track)?.body,
            let information = try file.box("minf", in: media)?.body,
            let table = try file.box("stbl", in: information)?.body,
            let entries = try file.box("stsd", in: table)?.fullBody, entries.count > 4,
            let entry = try file.box("av01", in: entries.lowerBound + 4..<entries.upperBound)?.body,
            // The fields of a visual sample entry (ISO/IEC 14496-12, 12.1.3).
            entry.count > 78, let kind = try file.box("auxi", in: entry.lowerBound + 78..<entry.upperBound)?.fullBody
        else { return nil }
        let name = String(decoding: file.bytes[kind].prefix { $0 != 0 }, as: UTF8.self)
        return alphaKinds.contains(name) ? nil : reference.lowerBound
    }
}
