import Foundation
import TintypeCore

/// The segments of a directory that is only read. Its owner may truncate them, so nothing is mapped: a lookup reads the
/// slots of each segment.
struct InheritedSegments {
    private let folder: OwnedFolder

    /// Opens the folder. `nil` if there is none, or if every user may write to it.
    init?(_ layout: CacheLayout) {
        guard let folder = try? layout.openInheritedHome().folder(SegmentStore.name, .readOnly) else { return nil }
        self.folder = folder
    }

    /// Reads the newest record of a name. Its bytes are not verified.
    func record(of name: EntryName) -> Data? {
        var newest: (bytes: Data, changed: Int64)?
        for file in folder.names() where SegmentNumber(fileName: file) != nil {
            guard let found = record(of: name, in: file), found.changed > newest?.changed ?? .min else { continue }
            newest = found
        }
        return newest?.bytes
    }

    private func record(of name: EntryName, in file: String) -> (bytes: Data, changed: Int64)? {
        let descriptor = folder.open(file, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let start = Data(reading: descriptor, SegmentLayout.recordsOffset),
            start.count == SegmentLayout.recordsOffset,
            let found = start.withUnsafeBytes({ Self.newest(name, in: $0) })
        else { return nil }
        let bytes = Data(reading: descriptor, from: found.range.lowerBound, found.range.count)
        return bytes.map { ($0, found.changed) }
    }

    /// Returns where the newest living record of a name is.
    private static func newest(
        _ name: EntryName, in bytes: UnsafeRawBufferPointer
    ) -> (range: Range<Int>, changed: Int64)? {
        guard bytes.loadUnaligned(as: UInt64.self) == SegmentLayout.magic, let start = bytes.baseAddress else {
            return nil
        }
        let inUse = bytes.loadUnaligned(fromByteOffset: SegmentLayout.slotsInUseOffset, as: UInt64.self)
        var newest: (range: Range<Int>, changed: Int64)?
        for index in 0..<min(Int(clamping: inUse), SegmentLayout.slotCount) {
            let slot = start + SegmentLayout.slotsOffset + index * SegmentLayout.slotLength
            let word = SlotWord(bits: slot.loadUnaligned(as: UInt64.self))
            guard word.state == .live, EntryName(reading: slot + SegmentLayout.nameOffset) == name,
                let range = word.range
            else { continue }
            let changed = slot.loadUnaligned(fromByteOffset: SegmentLayout.changeOffset, as: Int64.self)
            if changed >= newest?.changed ?? .min { newest = (range, changed) }
        }
        return newest
    }
}
