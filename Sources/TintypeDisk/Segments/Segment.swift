import CFileSystem
import Foundation
import Synchronization
import TintypeCore

/// A mapped file of small entries: see ``SegmentLayout``. All processes that use a cache directory share it.
///
/// One writer at a time, which holds the lock of the file, appends records. A record never changes. Removing an entry
/// marks its slot as dead, which any process does. A segment is removed as a whole, after its living entries were
/// copied to another one. It is never truncated, so a mapping stays valid.
///
/// Nothing here is trusted: a reader compares the key and verifies every byte.
///
/// `@unchecked Sendable` because the mapped memory changes only by atomic operations or beyond the slots in use, and
/// stays mapped as long as the object lives.
final class Segment: @unchecked Sendable {
    let number: SegmentNumber
    /// The identity of the file.
    let identity: InodeIdentity
    private let folder: OwnedFolder
    private let memory: UnsafeMutableRawPointer
    private let isWritable: Bool

    /// Maps a segment.
    ///
    /// - Returns: `nil` if there is none, or if the file is not a segment of this version.
    /// - Throws: ``DiskFailure`` if it cannot be mapped at present.
    static func open(_ number: SegmentNumber, in folder: OwnedFolder) throws(DiskFailure) -> Segment? {
        // A cache without permission to write still reads.
        var descriptor = folder.open(number.fileName, O_RDWR)
        let isWritable = descriptor >= 0
        if !isWritable, [EACCES, EROFS].contains(errno) { descriptor = folder.open(number.fileName, O_RDONLY) }
        guard descriptor >= 0 else {
            // A file that this user may not read is of no use, and must not stop the cache.
            guard [ENOENT, ELOOP, ENXIO, EISDIR, EACCES, EPERM].contains(errno) else {
                throw DiskFailure(errno, folder.path)
            }
            return nil
        }
        defer { close(descriptor) }
        return try Segment(number, descriptor, in: folder, isWritable: isWritable)
    }

    private init?(
        _ number: SegmentNumber, _ descriptor: Int32, in folder: OwnedFolder, isWritable: Bool
    ) throws(DiskFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, folder.isOwn(status),
            Int(status.st_size) == SegmentLayout.fileLength
        else { return nil }
        // Whether storing a word allocates no block. A segment may have been copied to another file system, or restored
        // with holes.
        self.isWritable =
            isWritable && tintype_stores_in_place(descriptor) != 0
            && tintype_has_no_hole(descriptor, Int64(SegmentLayout.recordsOffset)) != 0
        let protection = self.isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        guard let memory = mmap(nil, SegmentLayout.fileLength, protection, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { throw DiskFailure(errno, folder.path) }
        (self.number, self.folder, self.memory) = (number, folder, memory)
        identity = InodeIdentity(status)
        // The mapping is undone with the object.
        guard memory.load(as: UInt64.self) == SegmentLayout.magic else { return nil }
    }

    deinit {
        munmap(memory, SegmentLayout.fileLength)
    }

    // MARK: Reading

    /// The number of slots in use.
    var slotsInUse: Int {
        min(
            Int(clamping: counter(SegmentLayout.slotsInUseOffset).pointee.load(ordering: .acquiring)),
            SegmentLayout.slotCount)
    }

    /// A slot in use.
    struct Slot: Sendable {
        let word: SlotWord
        let name: EntryName
        let accessed: DiskTime
        let changed: DiskTime
        let expires: DiskTime?
        /// Where the record is in the file, in bytes.
        let range: Range<Int>

        var isLive: Bool { word.state == .live }
        /// The length of the record, in bytes.
        var length: Int { range.count }
    }

    /// Reads a slot. `nil` if it is not in use, or damaged.
    func slot(_ index: Int) -> Slot? {
        guard index < slotsInUse else { return nil }
        let start = slotStart(index)
        let word = state(of: index)
        guard word.state != .free, let range = word.range,
            range.upperBound <= SegmentLayout.recordsOffset + recordsEnd
        else { return nil }
        let expires = (start + SegmentLayout.expiryOffset).load(as: Int64.self)
        return Slot(
            word: word, name: EntryName(reading: start + SegmentLayout.nameOffset),
            accessed: DiskTime(
                microseconds: Int64(bitPattern: accessWord(of: index).pointee.load(ordering: .relaxed))),
            changed: DiskTime(microseconds: Int64(bitPattern: changeWord(of: index).pointee.load(ordering: .relaxed))),
            expires: expires == .max ? nil : DiskTime(microseconds: expires), range: range)
    }

    /// Copies a record. Its bytes are not verified. `nil` if there is not enough memory.
    func copy(_ slot: Slot) -> Data? {
        guard let copy = malloc(slot.length) else { return nil }
        copy.copyMemory(from: memory + slot.range.lowerBound, byteCount: slot.length)
        return Data(bytesNoCopy: copy, count: slot.length, deallocator: .free)
    }

    /// Calls a closure with a record, which is not verified.
    func withRecord<Result>(of slot: Slot, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: memory + slot.range.lowerBound, count: slot.length))
    }

    /// The space of the records.
    struct Space: Equatable, Sendable {
        /// The number of slots in use.
        var count = 0
        /// The number of those that are dead.
        var deadCount = 0
        /// The size of the records and their slots, in bytes.
        var size = 0
        /// The size of the dead ones.
        var deadSize = 0

        /// The living entries.
        var usage: DiskUsage { DiskUsage(count: max(0, count - deadCount), byteCount: max(0, size - deadSize)) }
    }

    /// The space of the records. Reads four words, or the slots of a segment whose words cannot be changed. It may be
    /// wrong by the entries that were being removed when a process was stopped.
    var space: Space {
        let count = slotsInUse
        guard isWritable else { return scannedSpace }
        return Space(
            count: count, deadCount: value(SegmentLayout.deadCountOffset),
            size: recordsEnd + count * SegmentLayout.slotLength, deadSize: value(SegmentLayout.deadSizeOffset))
    }

    private var scannedSpace: Space {
        let dead = (0..<slotsInUse).compactMap { slot($0) }.filter { !$0.isLive }
        return Space(
            count: slotsInUse, deadCount: dead.count, size: recordsEnd + slotsInUse * SegmentLayout.slotLength,
            deadSize: dead.reduce(0) { $0 + SegmentLayout.allocatedSize($1.length) })
    }

    /// Whether no entry lives. Reads the slots.
    var isDead: Bool { (0..<slotsInUse).allSatisfy { slot($0)?.isLive != true } }

    /// The slot whose writer was stopped before its key was inserted and the former entry of that key removed, if any.
    var unfinishedSlot: Int? {
        let number = value(SegmentLayout.unfinishedOffset)
        return number >= 1 && number <= slotsInUse ? number - 1 : nil
    }

    /// The end of the last record, in bytes from the first one.
    var recordsEnd: Int {
        SegmentLayout.space(forRecord: min(value(SegmentLayout.recordsEndOffset), SegmentLayout.recordCapacity))
    }

    /// Whether a record of a length can be appended.
    func hasRoom(for length: Int) -> Bool {
        isWritable && slotsInUse < SegmentLayout.slotCount
            && recordsEnd + SegmentLayout.space(forRecord: length) <= SegmentLayout.recordCapacity
    }

    // MARK: Changing

    /// Marks a slot as dead.
    ///
    /// - Returns: Whether it was live. Of several callers, one gets `true`, unless the file cannot be written through a
    ///   mapping.
    @discardableResult
    func remove(_ index: Int) -> Bool {
        guard index < slotsInUse else { return false }
        while true {
            let word = state(of: index)
            guard word.state == .live else { return false }
            guard isWritable else { return removeInFile(index, word) }
            let result = stateWord(of: index).pointee.compareExchange(
                expected: word.bits, desired: word.with(.dead).bits, ordering: .sequentiallyConsistent)
            guard result.exchanged else { continue }
            counter(SegmentLayout.deadCountOffset).pointee.wrappingAdd(1, ordering: .relaxed)
            let size = SegmentLayout.allocatedSize(word.range?.count ?? 0)
            counter(SegmentLayout.deadSizeOffset).pointee.wrappingAdd(UInt64(size), ordering: .relaxed)
            return true
        }
    }

    /// Marks a slot as dead in a file that must not be written through a mapping.
    private func removeInFile(_ index: Int, _ word: SlotWord) -> Bool {
        let descriptor = folder.open(number.fileName, O_WRONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let offset = off_t(SegmentLayout.slotsOffset + index * SegmentLayout.slotLength)
        return withUnsafeBytes(of: word.with(.dead).bits) { pwrite(descriptor, $0.baseAddress, 8, offset) } == 8
    }

    /// Records a use.
    func recordAccess(_ index: Int, at time: DiskTime) {
        guard isWritable, index < slotsInUse else { return }
        accessWord(of: index).pointee.store(UInt64(bitPattern: time.microseconds), ordering: .relaxed)
    }

    /// Moves times in the future to the present. If the clock was set back, the entry would otherwise outlive its age.
    func clampTimes(of index: Int, to now: DiskTime) {
        guard isWritable, index < slotsInUse else { return }
        for word in [accessWord(of: index), changeWord(of: index)]
        where Int64(bitPattern: word.pointee.load(ordering: .relaxed)) > now.microseconds {
            word.pointee.store(UInt64(bitPattern: now.microseconds), ordering: .relaxed)
        }
    }

    /// Takes the next slot for a record that was written at ``recordsEnd``. Only the holder of the file's lock calls
    /// this.
    ///
    /// - Returns: The number of the slot.
    func publish(_ record: SegmentRecord) -> Int {
        let (index, offset) = (slotsInUse, recordsEnd)
        let start = slotStart(index)
        record.name.withBytes {
            UnsafeMutableRawBufferPointer(start: start + SegmentLayout.nameOffset, count: $0.count).copyMemory(from: $0)
        }
        accessWord(of: index).pointee.store(UInt64(bitPattern: record.accessed.microseconds), ordering: .relaxed)
        changeWord(of: index).pointee.store(UInt64(bitPattern: record.changed.microseconds), ordering: .relaxed)
        (start + SegmentLayout.expiryOffset).storeBytes(of: record.expires?.microseconds ?? .max, as: Int64.self)
        stateWord(of: index).pointee.store(
            SlotWord(.live, offset: offset, length: record.length).bits, ordering: .relaxed)
        // In this order: after a stop in between, the next writer uses the slot again, and no reader has seen it.
        let end = offset + SegmentLayout.space(forRecord: record.length)
        counter(SegmentLayout.recordsEndOffset).pointee.store(UInt64(end), ordering: .releasing)
        counter(SegmentLayout.unfinishedOffset).pointee.store(UInt64(index + 1), ordering: .releasing)
        counter(SegmentLayout.slotsInUseOffset).pointee.store(UInt64(index + 1), ordering: .releasing)
        return index
    }

    /// Notes that the key of the last record is in the table, and that the former entry of that key was removed. Only
    /// the holder of the file's lock calls this.
    func finish() {
        if isWritable { counter(SegmentLayout.unfinishedOffset).pointee.store(0, ordering: .releasing) }
    }

    // MARK: Words

    private typealias Word = UnsafeMutablePointer<Atomic<UInt64>>

    private func slotStart(_ index: Int) -> UnsafeMutableRawPointer {
        memory + SegmentLayout.slotsOffset + index * SegmentLayout.slotLength
    }

    private func state(of index: Int) -> SlotWord {
        SlotWord(bits: stateWord(of: index).pointee.load(ordering: .acquiring))
    }

    private func stateWord(of index: Int) -> Word { slotStart(index).assumingMemoryBound(to: Atomic<UInt64>.self) }

    private func accessWord(of index: Int) -> Word {
        (slotStart(index) + SegmentLayout.accessOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private func changeWord(of index: Int) -> Word {
        (slotStart(index) + SegmentLayout.changeOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// A word of the header.
    private func counter(_ offset: Int) -> Word { (memory + offset).assumingMemoryBound(to: Atomic<UInt64>.self) }

    /// The value of a word of the header.
    private func value(_ offset: Int) -> Int { Int(clamping: counter(offset).pointee.load(ordering: .relaxed)) }
}
