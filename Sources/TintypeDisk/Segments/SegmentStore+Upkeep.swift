import Foundation
import TintypeCore

/// An entry in a segment: what limits need.
struct StoredRecord: Sendable {
    let place: SegmentPlace
    let name: EntryName
    /// The time from which the age counts.
    let time: DiskTime
    /// The last use.
    let accessed: DiskTime
    /// The length of the record, in bytes.
    let length: Int

    var usage: DiskUsage { DiskUsage(count: 1, byteCount: SegmentLayout.allocatedSize(length)) }
}

// Passes over all segments.

extension SegmentStore {
    /// Returns all living entries, those with the earliest `expiry` time first.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    /// - Complexity: O(*n* log *n*). Reads a slot of 64 bytes for each entry, and its header if the slot lacks the
    ///   time.
    func records(by expiry: DiskLimits.Expiry) throws(DiskFailure) -> [StoredRecord] {
        var records: [StoredRecord] = []
        try forEachSlot { segment, place, slot in
            records.append(
                StoredRecord(
                    place: place, name: slot.name, time: segment.time(of: slot, expiry),
                    accessed: slot.accessed, length: slot.length))
        }
        return records.sorted { $0.time < $1.time }
    }

    /// Removes entries that are expired or too old. Returns their number.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    func removeStale(_ limits: DiskLimits, at now: DiskTime) throws(DiskFailure) -> Int {
        let oldest = limits.age.map { now.earlier(by: $0) } ?? DiskTime(microseconds: .min)
        var count = 0
        try forEachSlot { segment, place, slot in
            segment.clampTimes(of: place.slot, to: now)
            let isExpired = slot.expires.map { $0 <= now } ?? false
            guard isExpired || min(segment.time(of: slot, limits.expiry), now) < oldest else { return }
            if segment.remove(place.slot) { count += 1 }
        }
        return count
    }

    /// Verifies every byte of the entries of a segment, and removes those that are damaged.
    func verify(_ segment: Segment, _ result: inout DiskVerification) {
        for index in 0..<segment.slotsInUse {
            let place = SegmentPlace(segment.number, index)
            guard let slot = segment.slot(index), slot.isLive else { continue }
            switch read(place, for: nil, as: Data.self) {
            case .file(let header, _, _) where EntryName(header.key) == slot.name:
                result.sound.add(DiskUsage(count: 1, byteCount: SegmentLayout.allocatedSize(slot.length)))
            case .file, .damaged:
                result.damaged.append(path(of: segment.number))
                if !segment.remove(index), segment.slot(index)?.isLive == true {
                    result.unremovable.append(path(of: segment.number))
                }
            case .absent, .unreadable: break
            }
        }
    }

    /// Removes the files that have the name of a segment and are none.
    ///
    /// - Returns: Their paths.
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    @discardableResult
    func removeDamagedFiles() throws(DiskFailure) -> [(path: String, isRemoved: Bool)] {
        guard let folder = try folder() else { return [] }
        var damaged: [(path: String, isRemoved: Bool)] = []
        for name in try folder.currentNames() {
            guard let number = SegmentNumber(fileName: name), try segment(number) == nil else { continue }
            // Not one that this user may not read.
            let descriptor = folder.open(name, O_RDONLY)
            guard descriptor >= 0 else { continue }
            close(descriptor)
            guard let status = folder.status(of: name), status.st_mode & S_IFMT == S_IFREG else { continue }
            damaged.append((path(of: number), folder.remove(name) == 0))
        }
        return damaged
    }

    /// Removes all entries, and the files of the segments that nothing else writes.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present, or an entry cannot be removed.
    func removeAll() throws(DiskFailure) -> DiskUsage {
        var removed = DiskUsage()
        for segment in try all() {
            for index in 0..<segment.slotsInUse {
                guard let slot = segment.slot(index), slot.isLive else { continue }
                if segment.remove(index) {
                    removed.add(DiskUsage(count: 1, byteCount: SegmentLayout.allocatedSize(slot.length)))
                } else if segment.slot(index)?.isLive == true {
                    throw DiskFailure(errno, path)
                }
            }
            if let file = takeOver(segment) { removeFile(file) }
        }
        try removeDamagedFiles()
        return removed
    }

    /// Removes the files of segments without living entries, except the last ones, which are written again.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    func removeDead() throws(DiskFailure) {
        for segment in try all().dropLast(Self.reopened) where segment.isDead {
            if let file = takeOver(segment) { removeFile(file) }
        }
    }

    /// Removes the segment with the most dead records, and the entries that still live in it, for a full disk.
    ///
    /// - Returns: The number of living entries that were removed; `nil` if no file was removed.
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    func removeWorst() throws(DiskFailure) -> Int? {
        for segment in try all().sorted(by: { $0.space.deadSize > $1.space.deadSize }) {
            guard let writer = takeOver(segment) else { continue }
            let count = (0..<segment.slotsInUse).count { segment.remove($0) }
            if removeFile(writer) { return count }
        }
        return nil
    }

    /// Copies the living entries of the most wasteful segment to another one, and removes the file. Removes the files
    /// of segments without living entries too.
    ///
    /// - Parameter copy: Copies one entry, and removes it from its place.
    /// - Throws: ``DiskFailure`` if a segment cannot be read, or an entry cannot be copied at present.
    func compact(_ copy: (Segment, SegmentPlace, Segment.Slot) throws(DiskFailure) -> Void) throws(DiskFailure) {
        try removeDead()
        let wasteful = try all().filter(\.space.isWasteful).sorted { $0.space.deadSize > $1.space.deadSize }
        for segment in wasteful {
            guard let writer = takeOver(segment) else { continue }
            for index in 0..<segment.slotsInUse {
                guard let slot = segment.slot(index), slot.isLive else { continue }
                try copy(segment, SegmentPlace(segment.number, index), slot)
            }
            if removeFile(writer) { return }
        }
    }
}

extension Segment {
    /// The time from which the age of an entry counts.
    fileprivate func time(of slot: Slot, _ expiry: DiskLimits.Expiry) -> DiskTime {
        switch expiry {
        case .access: slot.accessed
        case .change: slot.changed
        case .modification, .creation:
            // Not after the change, which a clock that was set back moves to the present.
            withRecord(of: slot) { EntryHeader(decoding: $0) }.map { min($0.times.time(of: expiry), slot.changed) }
                ?? slot.changed
        }
    }
}
