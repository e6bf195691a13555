import Foundation
import TintypeCore

/// The segments of a cache directory: see ``SegmentLayout``.
///
/// Mappings are kept, so that a lookup makes no system call. All calls can block the calling thread.
final class SegmentStore: Sendable {
    private let home: OwnedFolder
    private let state = Locked(State())

    private struct State: Sendable {
        /// The folder, once it was found.
        var folder: OwnedFolder?
        var segments: [SegmentNumber: Segment] = [:]
        /// The segment that is written. A writer takes it out while it appends.
        var writer: SegmentWriter?
    }

    /// The name of the folder.
    static let name = "segments"

    /// The path of the folder, for messages.
    var path: String { "\(home.path)/\(Self.name)" }
    /// The path of a segment, for messages.
    func path(of number: SegmentNumber) -> String { "\(path)/\(number.fileName)" }

    /// - Parameter home: The folder of the cache version.
    init(in home: OwnedFolder) {
        self.home = home
    }

    // MARK: Reading

    /// Returns a segment. `nil` if there is none.
    ///
    /// - Throws: ``DiskFailure`` if it cannot be mapped at present.
    func segment(_ number: SegmentNumber) throws(DiskFailure) -> Segment? {
        if let segment = state.withLock({ $0.segments[number] }) { return segment }
        guard let segment = try open(number) else { return nil }
        return state.withLock { state in
            // Another thread may have mapped it in between.
            if let present = state.segments[number] { return present }
            state.segments[number] = segment
            return segment
        }
    }

    private func open(_ number: SegmentNumber) throws(DiskFailure) -> Segment? {
        guard let folder = try folder() else { return nil }
        if let segment = try Segment.open(number, in: folder) { return segment }
        // The folder may have been replaced.
        guard !isCurrent(folder) else { return nil }
        forget()
        guard let next = try self.folder() else { return nil }
        return try Segment.open(number, in: next)
    }

    /// Returns a slot and its segment. `nil` if there is none.
    ///
    /// - Throws: ``DiskFailure`` if the segment cannot be mapped at present.
    func slot(_ place: SegmentPlace) throws(DiskFailure) -> (segment: Segment, slot: Segment.Slot)? {
        guard let segment = try segment(place.segment), let slot = segment.slot(place.slot) else { return nil }
        return (segment, slot)
    }

    /// Returns all segments, in the order of their numbers, and forgets those that are gone.
    ///
    /// - Throws: ``DiskFailure`` if one may be missing, because the folder or a segment cannot be read at present.
    func all() throws(DiskFailure) -> [Segment] {
        guard let folder = try folder() else { return [] }
        let numbers = try Self.numbers(in: folder)
        keep(Set(numbers))
        var segments: [Segment] = []
        for number in numbers { if let segment = try segment(number) { segments.append(segment) } }
        return segments
    }

    /// Unmaps segments that other processes have removed. Until then, they occupy the disk.
    func forgetRemoved() {
        guard !state.withLock({ $0.segments.isEmpty }), let folder = try? folder(),
            let numbers = try? Self.numbers(in: folder)
        else { return }
        keep(Set(numbers))
    }

    private static func numbers(in folder: OwnedFolder) throws(DiskFailure) -> [SegmentNumber] {
        try folder.currentNames().compactMap { SegmentNumber(fileName: $0) }.sorted()
    }

    private func keep(_ numbers: Set<SegmentNumber>) {
        // Unmapped after unlocking.
        let former = state.withLock { state in
            defer { state.segments = state.segments.filter { numbers.contains($0.key) } }
            return state.segments
        }
        withExtendedLifetime(former) {}
    }

    /// The living entries of all segments.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    func usage() throws(DiskFailure) -> DiskUsage {
        try all().reduce(into: DiskUsage()) { $0.add($1.space.usage) }
    }

    /// Returns the folder. `nil` if there is none.
    func folder() throws(DiskFailure) -> OwnedFolder? {
        if let folder = state.withLock({ $0.folder }) { return folder }
        do throws(FolderFailure) {
            let folder = try home.folder(Self.name)
            state.withLock { $0.folder = folder }
            return folder
        } catch {
            guard error.errorNumber == ENOENT else { throw DiskFailure(error) }
            return nil
        }
    }

    /// Returns the folder that has the name now, and creates it if there is none.
    private func makeFolder() throws(DiskFailure) -> OwnedFolder {
        if let folder = state.withLock({ $0.folder }), isCurrent(folder) { return folder }
        let folder = try DiskFailure.wrapping { () throws(FolderFailure) in try home.makeFolder(Self.name) }
        forget()
        state.withLock { $0.folder = folder }
        return folder
    }

    private func isCurrent(_ folder: OwnedFolder) -> Bool {
        home.status(of: Self.name).map { InodeIdentity($0) } == folder.identity
    }

    /// Forgets the folder and its segments, because another folder has its name.
    private func forget() {
        // Mappings and the writer are released after unlocking.
        let former = state.withLock { state in
            defer { state = State() }
            return state
        }
        withExtendedLifetime(former) {}
    }

    // MARK: Changing

    /// Marks an entry as dead, unless the slot is that of another entry: a place is a hint.
    ///
    /// - Returns: Whether it was live.
    @discardableResult
    func remove(_ place: SegmentPlace, of name: EntryName) -> Bool {
        guard let (segment, slot) = try? slot(place), slot.name == name else { return false }
        return segment.remove(place.slot)
    }

    /// Appends an entry.
    ///
    /// - Parameters:
    ///   - accessed: The last use.
    ///   - temporary: The folder of temporary files.
    ///   - insert: Inserts the key of the record into the table, and removes the former entry of that key.
    ///   - recover: Does the same for a writer that was stopped.
    /// - Throws: ``DiskFailure``. Nothing is left behind.
    func append(
        _ header: EntryHeader, _ payload: Data, as name: EntryName, accessed: DiskTime, _ temporary: OwnedFolder,
        insert: (SegmentPlace) -> Void, recover: (Segment, _ slot: Int) -> Void
    ) throws(DiskFailure) {
        let result = header.withEncoded { head in
            payload.withUnsafeBytes { payload in
                Result { () throws(DiskFailure) in
                    let record = SegmentRecord(
                        head: head, payload: payload, name: name, changed: header.times.changed,
                        expires: header.times.expires, accessed: accessed)
                    try append(record, temporary, insert, recover)
                }
            }
        }
        try result.get()
    }

    /// Appends a record to the segment that is written, or to the next one.
    private func append(
        _ record: SegmentRecord, _ temporary: OwnedFolder, _ insert: (SegmentPlace) -> Void,
        _ recover: (Segment, Int) -> Void
    ) throws(DiskFailure) {
        let folder = try makeFolder()
        let current = state.withLock { state in
            defer { state.writer = nil }
            return state.writer
        }
        let writer: SegmentWriter
        if let current, current.segment.hasRoom(for: record.length) {
            writer = current
        } else {
            writer = try nextWriter(for: record.length, folder, temporary)
            if let slot = writer.segment.unfinishedSlot { recover(writer.segment, slot) }
            writer.segment.finish()
        }
        try writer.append(record, insert: insert)
        // If two threads append at once, one of the writers is closed after unlocking. Its segment is written again
        // later.
        let other = state.withLock { state in
            defer { state.writer = writer }
            return state.writer
        }
        withExtendedLifetime(other) {}
    }

    /// Returns the writer of a segment that has room and no writer, or of a new one.
    private func nextWriter(
        for length: Int, _ folder: OwnedFolder, _ temporary: OwnedFolder
    ) throws(DiskFailure) -> SegmentWriter {
        // The last ones, because older segments are full, or are soon given up.
        for number in try Self.numbers(in: folder).suffix(Self.reopened).reversed() {
            guard let segment = try segment(number), segment.hasRoom(for: length), !segment.space.isWasteful,
                let writer = SegmentWriter(segment, in: folder)
            else { continue }
            return writer
        }
        let number = try SegmentWriter.make(in: folder, temporary)
        guard let segment = try segment(number), let writer = SegmentWriter(segment, in: folder) else {
            throw DiskFailure(ENOENT, folder.path)
        }
        return writer
    }

    /// The number of segments in which a writer looks for room.
    static let reopened = 8

    /// Returns the writer of a segment whose entries are to be copied or were removed. `nil` if another one appends to
    /// it.
    func takeOver(_ segment: Segment) -> SegmentWriter? {
        let current = state.withLock { state -> SegmentWriter? in
            guard state.writer?.segment === segment else { return nil }
            defer { state.writer = nil }
            return state.writer
        }
        if let current { return current }
        guard let folder = try? folder() else { return nil }
        return SegmentWriter(segment, in: folder)
    }

    /// Removes the file of a segment if it has no living entries. Returns whether it did.
    @discardableResult
    func removeFile(_ writer: SegmentWriter) -> Bool {
        guard writer.removeFile() else { return false }
        // Unmapped after unlocking.
        let former = state.withLock { $0.segments.removeValue(forKey: writer.segment.number) }
        withExtendedLifetime(former) {}
        return true
    }
}

extension Segment.Space {
    /// Whether the space is worth regaining: a third of it is dead, and that is a megabyte, or there is no free slot.
    var isWasteful: Bool {
        deadSize > 0 && deadSize >= size / 3 && (deadSize >= 1 << 20 || count == SegmentLayout.slotCount)
    }
}

extension DiskUsage {
    mutating func add(_ other: DiskUsage) {
        count += other.count
        byteCount += other.byteCount
    }

    mutating func remove(_ other: DiskUsage) {
        count -= other.count
        byteCount -= other.byteCount
    }
}
