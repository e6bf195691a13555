import Foundation
import Logging
import TintypeCore

// The upkeep of segments: expired entries, and the space of removed ones.

extension DiskCache {
    /// Returns the segments of the directory that the path leads to now.
    func currentSegments() -> SegmentStore? {
        _ = currentEntriesHandle()
        return state.withLock { $0.segments }
    }

    /// Removes the entries of segments that are expired or too old, if that was not done within the last minute by the
    /// cache's clock. Returns their number.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    func sweepSegments(at now: DiskTime) throws(DiskFailure) -> Int {
        let isDue = state.withLock { state in
            if let last = state.lastSweep, now.distance(to: last) < Self.sweepPause { return false }
            state.lastSweep = now
            return true
        }
        return isDue ? try currentSegments()?.removeStale(limits, at: now) ?? 0 : 0
    }

    /// The pause between two passes over all slots, in microseconds.
    private static let sweepPause: UInt64 = 60_000_000

    /// Completes the last changes of writers that were stopped.
    ///
    /// - Throws: ``DiskFailure`` if a segment cannot be read at present.
    func recoverSegments() throws(DiskFailure) {
        guard let segments = currentSegments() else { return }
        for segment in try segments.all() where segment.unfinishedSlot != nil {
            // A writer that is running finishes its change itself.
            guard let writer = segments.takeOver(segment), let slot = segment.unfinishedSlot else { continue }
            recover(segment, slot, segments)
            writer.segment.finish()
        }
    }

    /// Regains the space of removed entries.
    func compactSegments() {
        let (lock, isComplete) = state.withLock { ($0.writerLock, $0.presence?.isComplete ?? false) }
        // Without a complete table, it cannot be told which records are entries.
        guard let lock, isComplete else { return }
        let segments = lock.folders.segments
        // Not those of a directory that was replaced.
        guard currentSegments() === segments else { return }
        do throws(DiskFailure) {
            try segments.compact { segment, place, slot throws(DiskFailure) in
                try copy(place, slot, of: segment, lock.folders)
            }
        } catch {
            // The next batch tries again. A full disk is reported by the next write.
            Self.logger.debug("cannot compact the disk cache: \(error.error)")
        }
    }

    /// Copies an entry to another segment. A damaged one, and one that the table does not lead to, is removed.
    private func copy(
        _ place: SegmentPlace, _ slot: Segment.Slot, of segment: Segment, _ folders: WriterFolders
    ) throws(DiskFailure) {
        guard let bytes = segment.copy(slot) else { throw DiskFailure(ENOMEM, layout.root) }
        guard let header = bytes.withBytes({ EntryFile.verified($0, for: nil) }) else {
            segment.remove(place.slot)
            return
        }
        let probe = probe(header.key)
        // The table is being replaced, or has lost keys.
        if case .unknown = probe.answer { throw DiskFailure(EAGAIN, layout.root) }
        guard probe.slot == place else {
            segment.remove(place.slot)
            return
        }
        let segments = folders.segments
        try segments.append(
            header, bytes[header.length...], as: slot.name, accessed: slot.accessed, folders.temporary
        ) { next in
            let isMoved = move(header.key, from: .slot(place), to: .slot(next))
            // Another process may have removed or replaced the entry meanwhile.
            guard !isMoved || !segment.remove(place.slot) else { return }
            segments.remove(next, of: slot.name)
            segment.remove(place.slot)
        } recover: { segment, slot in
            recover(segment, slot, segments)
        }
    }
}
