import Foundation
import TintypeCore

/// A copy of a file that differs only in what keeps libheif 1.15 from showing an item.
///
/// libheif 1.15 opens no hidden items. It refuses a file in which an auxiliary image, a thumbnail or metadata refers to
/// several items, or to one that is no image to it (`tmap`): most photos of iOS 18 are such files. All boxes and items
/// stay in their places.
final class HEIFAdaptedCopy {
    private let copy: UnsafeMutableRawBufferPointer

    /// Copies a file if libheif needs a copy to show an item.
    ///
    /// - Parameter item: The number of the item; `nil` for the primary one.
    /// - Returns: `nil` if no copy is needed, or if the file has no room for the changed references.
    /// - Throws: `TintypeError.Code.undecodable` for invalid boxes, and if another item cannot be shown;
    ///   `TintypeError.Code.outOfMemory`.
    static func ifNeeded(
        _ bytes: UnsafeRawBufferPointer, showing item: Int? = nil
    ) throws(TintypeError) -> HEIFAdaptedCopy? {
        let file = ISOFile(bytes: bytes)
        let meta = try file.itemMetaBox()
        let entries = try ISOItems.entries(file, meta)
        let primary = try file.primaryItem(meta)
        let all = try file.references(in: meta)
        let usable = all.compactMap { $0.usable(showing: item ?? primary, entries) }
        // The inputs of `tmap` items do no harm.
        let areUsable = usable == all.filter { $0.kind != "dimg" || entries[$0.from]?.kind != "tmap" }
        guard item != nil || !areUsable else { return nil }
        let copy = try HEIFAdaptedCopy(bytes)
        // `||` does not preserve the type of an error.
        let hasReferences = areUsable ? true : try copy.replaceReferences(by: usable, meta)
        guard let item else { return hasReferences ? copy : nil }
        guard hasReferences, try copy.show(item, entries[item], meta) else { throw .suspectStructure }
        return copy
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        // Swift's own allocation traps when memory runs out.
        guard let start = malloc(max(bytes.count, 1)) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to copy a HEIC")
        }
        copy = UnsafeMutableRawBufferPointer(start: start, count: bytes.count)
        copy.copyMemory(from: bytes)
    }

    deinit {
        free(copy.baseAddress)
    }

    /// The bytes of the copy, which live as long as this object.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(copy) }

    private func store(_ number: Int, size: Int, at offset: Int) {
        for index in 0..<size { copy[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - index))) }
    }

    private func store(kind: String, at offset: Int) {
        for (index, letter) in kind.utf8.prefix(4).enumerated() { copy[offset + index] = letter }
    }

    /// Makes an item the primary one, and shows it if it is hidden (ISO/IEC 14496-12, 8.11.4 and 8.11.6).
    ///
    /// - Returns: Whether the file has the item and room for its number.
    private func show(
        _ item: Int, _ entry: ISOItems.Entry?, _ meta: Range<Int>
    ) throws(TintypeError) -> Bool {
        let pointer = try ISOFile(bytes: bytes).requiredBox("pitm", in: meta).body
        let size = copy[pointer.lowerBound] > 0 ? 4 : 2
        guard let entry, item < 1 << (8 * size) else { return false }
        store(item, size: size, at: pointer.lowerBound + 4)
        copy[entry.body.lowerBound + 3] &= 0xFE
        return true
    }

    /// Replaces all references, and puts a `free` box into the room that becomes free.
    ///
    /// - Returns: Whether they fit.
    private func replaceReferences(
        by references: [ISOFile.Reference], _ meta: Range<Int>
    ) throws(TintypeError) -> Bool {
        let boxes = try ISOFile(bytes: bytes).boxes("iref", in: meta)
        guard boxes.count == 1, let body = boxes.first?.body, body.count >= 4 else { return false }
        let start = body.lowerBound - 8
        // A header of another form is not written here.
        guard start >= meta.lowerBound, copy[start + 4..<start + 8].elementsEqual("iref".utf8) else { return false }
        let size = copy[body.lowerBound] > 0 ? 4 : 2
        let count = 12 + references.reduce(0) { $0 + 8 + size + 2 + $1.to.count * size }
        let room = body.upperBound - start - count
        guard room == 0 || room >= 8 else { return false }
        store(count, size: 4, at: start)
        var offset = start + 12
        for reference in references { write(reference, numberSize: size, at: &offset) }
        guard room > 0 else { return true }
        store(room, size: 4, at: offset)
        store(kind: "free", at: offset + 4)
        return true
    }

    private func write(_ reference: ISOFile.Reference, numberSize size: Int, at offset: inout Int) {
        store(8 + size + 2 + reference.to.count * size, size: 4, at: offset)
        store(kind: reference.kind, at: offset + 4)
        store(reference.from, size: size, at: offset + 8)
        store(reference.to.count, size: 2, at: offset + 8 + size)
        offset += 8 + size + 2
        for item in reference.to {
            store(item, size: size, at: offset)
            offset += size
        }
    }
}

extension ISOFile.Reference {
    /// References from auxiliary images, thumbnails and metadata.
    private static let descriptive: Set<String> = ["auxl", "cdsc", "thmb"]
    /// The item types that are images to libheif 1.15.
    private static let imageKinds: Set<String> = ["av01", "grid", "hvc1", "iden", "iovl", "vvc1"]

    /// Returns the reference as libheif 1.15 accepts it, with one target if it describes an image.
    ///
    /// - Parameter item: The target that is preferred.
    /// - Returns: `nil` if nothing remains.
    fileprivate func usable(showing item: Int, _ entries: [Int: ISOItems.Entry]) -> ISOFile.Reference? {
        guard entries[from]?.kind != "tmap" else { return nil }
        guard Self.descriptive.contains(kind) else { return self }
        let images = to.filter { Self.imageKinds.contains(entries[$0]?.kind ?? "") }
        guard let first = images.first else { return nil }
        return ISOFile.Reference(kind: kind, from: from, to: [images.contains(item) ? item : first])
    }
}
