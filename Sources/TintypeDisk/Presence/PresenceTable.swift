import CFileSystem
import Foundation
import Synchronization
import TintypeCore

/// A mapped file that tells which keys have no entry, and where the entries of the others are. All processes that use a
/// cache directory share it.
///
/// A key that is not in the table is a miss, without a system call. A key that is in it may still be one. Every error
/// in the table costs an open that fails, or an entry that is forgotten; the entries themselves are verified.
///
/// A writer inserts a key before the entry gets its name, and once more afterwards. A reader that finds no file under
/// the name of a key removes the key, unless it was inserted since the reader saw it. The second insertion therefore
/// restores a key that was removed between the first one and the renaming.
///
/// A table is replaced by renaming another one over it, never truncated, and the old one is then marked as retired.
/// A writer looks for that mark after each insertion, and repeats it in the new table. The one that replaces sets the
/// mark before it copies, so it copies the word of each writer that has not seen the mark.
///
/// `@unchecked Sendable` because the mapped memory changes only by atomic operations, and stays mapped as long as the
/// object lives.
final class PresenceTable: @unchecked Sendable {
    /// The identity of the file.
    let identity: InodeIdentity
    private let header: PresenceHeader
    private let memory: UnsafeMutableRawPointer
    private let slots: PresenceSlots
    let isWritable: Bool

    /// The name of the file.
    static let name = "presence"

    /// Maps the table in a folder.
    ///
    /// - Returns: `nil` if there is no undamaged table of this version, or if it cannot be mapped, or if a change could
    ///   need space on the disk.
    convenience init?(in home: OwnedFolder) {
        // A cache without permission to write still reads.
        for flags in [O_RDWR, O_RDONLY] {
            let descriptor = home.open(Self.name, flags)
            guard descriptor >= 0 else {
                guard [EACCES, EROFS].contains(errno) else { return nil }
                continue
            }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, home.isOwn(status) else {
                return nil
            }
            let isWritable = flags == O_RDWR
            guard !isWritable || Self.hasRoom(descriptor, status) else { return nil }
            self.init(descriptor, status, isWritable: isWritable)
            return
        }
        return nil
    }

    /// Whether storing a word in the mapping of a file allocates no block. A table may have been copied to another file
    /// system, or restored with holes.
    private static func hasRoom(_ descriptor: Int32, _ status: stat) -> Bool {
        tintype_stores_in_place(descriptor) != 0 && tintype_has_no_hole(descriptor, Int64(status.st_size)) != 0
    }

    /// Reads the header of a file. `nil` if the file is no undamaged table of this version.
    private static func header(_ descriptor: Int32, fileLength: Int) -> PresenceHeader? {
        var start = [UInt8](repeating: 0, count: PresenceHeader.fixedLength)
        guard pread(descriptor, &start, start.count, 0) == start.count else { return nil }
        return start.withUnsafeBytes { PresenceHeader(decoding: $0, fileLength: fileLength) }
    }

    private init?(_ descriptor: Int32, _ status: stat, isWritable: Bool) {
        let length = Int(status.st_size)
        guard let header = Self.header(descriptor, fileLength: length),
            let memory = mmap(nil, length, isWritable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        (self.header, self.memory, self.isWritable) = (header, memory, isWritable)
        identity = InodeIdentity(status)
        slots = PresenceSlots(memory + PresenceHeader.length, bucketCount: header.bucketCount)
    }

    deinit {
        munmap(memory, header.fileLength)
    }

    // MARK: Reading

    /// What the table says about a key.
    enum Answer {
        /// The key has no entry.
        case absent
        /// The key may have an entry.
        case possible(PresenceSlots.Sighting)
        /// The table was replaced, or does not contain this key but may lack some.
        case unknown
    }

    /// Returns whether a key can have an entry. Makes no system call.
    func answer(for key: CacheKey) -> Answer {
        guard !isRetired else { return .unknown }
        return slots.sighting(of: hash(of: key)).map { .possible($0) } ?? (isComplete ? .absent : .unknown)
    }

    /// Whether another table has taken the place of this one.
    var isRetired: Bool { word(PresenceHeader.retiredOffset).pointee.load(ordering: .sequentiallyConsistent) != 0 }

    /// The number of folders whose entries are known to be in the table, or more than there are if the table has lost
    /// keys.
    var filledFolders: Int {
        Int(clamping: word(PresenceHeader.filledOffset).pointee.load(ordering: .sequentiallyConsistent))
    }

    /// Whether the table contains the key of every entry.
    var isComplete: Bool { filledFolders == EntryFolder.count }

    /// The next table if this one fills up. ``PresenceHeader/growth(occupied:slots:entries:)``.
    ///
    /// - Parameter entries: The number of entries.
    func growth(entries: () throws -> Int) rethrows -> PresenceHeader.Growth {
        guard PresenceHeader.growth(occupied: occupied, slots: slots.count, entries: 0) != .none else { return .none }
        return PresenceHeader.growth(occupied: occupied, slots: slots.count, entries: try entries())
    }

    // MARK: Changing

    /// Inserts a key. Then look at ``isRetired``, and insert the key into the next table if this one is.
    ///
    /// - Returns: If another key was displaced, this table is now incomplete. If it is also retired, call
    ///   ``markIncomplete()`` on the next one, which may have been called complete without that key.
    @discardableResult
    func insert(
        _ key: CacheKey, _ placement: PresenceSlots.Placement = .kept(otherwise: .file)
    ) -> PresenceSlots.Insertion? {
        insert(hash: hash(of: key), placement)
    }

    /// Changes the place of a key that is at another one. Then look at ``isRetired``, as after an insertion.
    ///
    /// - Returns: Whether it was there.
    func move(_ key: CacheKey, from former: EntryPlace, to place: EntryPlace) -> Bool {
        isWritable && slots.move(hash(of: key), from: former, to: place, ticket: nextTicket)
    }

    /// Makes all keys be looked up again, because the table may lack one.
    func markIncomplete() {
        guard isWritable else { return }
        // In one order with the mark of a retired table: either the one that replaces this table sees the loss, or the
        // one that lost the key sees that the table is retired.
        word(PresenceHeader.filledOffset).pointee.store(.max, ordering: .sequentiallyConsistent)
    }

    /// Removes a key that has no entry, unless it was inserted since the sighting.
    func remove(_ sighting: PresenceSlots.Sighting) {
        guard isWritable, slots.remove(sighting) else { return }
        word(PresenceHeader.occupiedOffset).pointee.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Returns the first folder whose entries are to be looked up, or `nil` if the table is complete or too full.
    func beginFilling() -> Int? {
        let filled = filledFolders
        guard isWritable, filled != EntryFolder.count, urgentGrowth == nil else { return nil }
        guard filled > EntryFolder.count else { return filled }
        word(PresenceHeader.filledOffset).pointee.store(0, ordering: .releasing)
        return 0
    }

    /// Records that the table contains the entries of all folders before a number, unless ``filledFolders`` has
    /// changed.
    ///
    /// - Parameter former: The number of folders before these were looked up.
    func recordFilled(_ former: Int, before folder: Int) {
        guard isWritable else { return }
        _ = word(PresenceHeader.filledOffset).pointee.compareExchange(
            expected: UInt64(former), desired: UInt64(folder), ordering: .acquiringAndReleasing)
    }

    /// Marks this table as replaced, and copies its keys to the next table: all, or those of living records.
    private func retire(for next: PresenceTable, copiesFiles: Bool, isLive: (SegmentPlace) -> Bool) {
        word(PresenceHeader.retiredOffset).pointee.store(1, ordering: .sequentiallyConsistent)
        // Before the copy: what is filled later may not be copied.
        let filled = filledFolders
        slots.forEachHash { hash, place in
            let isCopied = if case .slot(let place) = place { isLive(place) } else { copiesFiles }
            if isCopied { next.insert(hash: hash, .kept(otherwise: place)) }
        }
        if copiesFiles, filled <= EntryFolder.count { next.recordFilled(0, before: filled) }
    }

    @discardableResult
    private func insert(hash: UInt64, _ placement: PresenceSlots.Placement) -> PresenceSlots.Insertion? {
        guard isWritable else { return nil }
        let insertion = slots.insert(hash, placement, ticket: nextTicket)
        let added = insertion.effect == .added ? 1 : 0
        if added != insertion.freedCount {
            word(PresenceHeader.occupiedOffset).pointee.wrappingAdd(
                UInt64(bitPattern: Int64(added - insertion.freedCount)), ordering: .relaxed)
        }
        // Another key is lost, so all are looked up again.
        if insertion.effect == .displaced { markIncomplete() }
        return insertion
    }

    private func nextTicket() -> UInt64 {
        word(PresenceHeader.ticketOffset).pointee.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The number of buckets of the next table if this one must be replaced before the number of entries is known.
    var urgentGrowth: Int? { PresenceHeader.urgentGrowth(occupied: occupied, slots: slots.count) }

    private var occupied: Int { Int(clamping: word(PresenceHeader.occupiedOffset).pointee.load(ordering: .relaxed)) }

    private func hash(of key: CacheKey) -> UInt64 {
        let source = Self.hash(key.source, seed: header.seed)
        return key.isOriginal ? source : Self.hash(key.rendition, seed: source)
    }

    private static func hash(_ text: String, seed: UInt64) -> UInt64 {
        var text = text
        return text.withUTF8 { Checksum.of(UnsafeRawBufferPointer($0), seed: seed) }
    }

    /// A word of the header that changes.
    @inline(__always)
    private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (memory + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}

// MARK: - Files

extension PresenceTable {
    /// Creates the table of a cache, unless another process has just done so. What is in its place is removed, or
    /// renamed if it is no regular file. A table that only this process cannot use at present stays.
    ///
    /// - Returns: `nil` if a table cannot be created or mapped.
    static func make(in folders: WriterFolders) -> PresenceTable? {
        if let present = PresenceTable(in: folders.home) {
            guard present.isRetired else { return present }
        } else if isOfOthers(in: folders.home) {
            return nil
        }
        if let status = folders.home.status(of: name) {
            if status.st_mode & S_IFMT == S_IFREG { folders.home.remove(name) } else { _ = folders.home.displace(name) }
        }
        let header = PresenceHeader(bucketCount: PresenceHeader.minimumBucketCount, seed: .random(in: 0 ... .max))
        create(header, in: folders) { temporary in
            linkat(folders.temporary.descriptor, temporary, folders.home.descriptor, name, 0)
        }
        return PresenceTable(in: folders.home)
    }

    /// Whether the file in place may be a table that this process cannot open or map at present, for want of a
    /// descriptor or of memory, but others can.
    private static func isOfOthers(in home: OwnedFolder) -> Bool {
        let descriptor = home.open(name, O_RDWR)
        guard descriptor >= 0 else { return [EMFILE, ENFILE, ENOMEM].contains(errno) }
        defer { close(descriptor) }
        var status = stat()
        return fstat(descriptor, &status) == 0 && home.isOwn(status) && hasRoom(descriptor, status)
            && header(descriptor, fileLength: Int(status.st_size)) != nil
    }

    /// Replaces this table, unless another process does so.
    ///
    /// - Parameters:
    ///   - bucketCount: The number of buckets of the next table.
    ///   - copiesFiles: Whether the next table gets the keys of files from this one. If not, it must be filled from the
    ///     disk.
    ///   - isLive: Returns whether a record lives. The next table gets the keys of such records.
    /// - Returns: The table that is in place now; `nil` if there is none that can be mapped.
    func replace(
        bucketCount: Int, copiesFiles: Bool, in folders: WriterFolders, isLive: (SegmentPlace) -> Bool
    ) -> PresenceTable? {
        let descriptor = folders.home.open(Self.name, O_RDWR)
        guard descriptor >= 0 else { return nil }
        // Also unlocks.
        defer { close(descriptor) }
        guard isWritable, flock(descriptor, LOCK_EX | LOCK_NB) == 0, InodeIdentity(descriptor) == identity, !isRetired
        else { return PresenceTable(in: folders.home) }
        // The copy has hashes but no keys, so the seed stays.
        Self.create(PresenceHeader(bucketCount: bucketCount, seed: header.seed), in: folders) { temporary in
            renameat(folders.temporary.descriptor, temporary, folders.home.descriptor, Self.name)
        }
        guard let next = PresenceTable(in: folders.home), next.identity != identity else { return self }
        retire(for: next, copiesFiles: copiesFiles, isLive: isLive)
        return next
    }

    /// Creates an empty table under a temporary name, and publishes it.
    private static func create(_ header: PresenceHeader, in folders: WriterFolders, _ publish: (String) -> Int32) {
        // The form of a temporary file of a writer that has ended, so that the next recovery removes what is left.
        let temporary = "\(UUID().uuidString)-0"
        let descriptor = folders.temporary.open(temporary, O_RDWR | O_CREAT | O_EXCL)
        guard descriptor >= 0 else { return }
        defer {
            close(descriptor)
            folders.temporary.remove(temporary)
        }
        guard tintype_stores_in_place(descriptor) != 0, write(header, to: descriptor) else { return }
        _ = publish(temporary)
    }

    /// Writes every byte, so that storing a word in the mapping allocates no block. On a full disk, that would end the
    /// process.
    private static func write(_ header: PresenceHeader, to descriptor: Int32) -> Bool {
        let zeros = [UInt8](repeating: 0, count: min(header.fileLength, 1 << 20))
        var written = 0
        while written < header.fileLength {
            let count = pwrite(descriptor, zeros, min(zeros.count, header.fileLength - written), off_t(written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        let start = header.encoded
        return pwrite(descriptor, start, start.count, 0) == start.count
    }
}
