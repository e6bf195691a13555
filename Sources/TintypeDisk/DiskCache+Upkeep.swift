import Foundation
public import TintypeCore

// What a person or a program does with a cache as a whole. Everything here waits for what was stored before.

extension DiskCache {
    /// How much there is; does not look at the files, unless the bookkeeping was lost and is being made anew, or cannot be
    /// used: in a directory that may not be written, or on a full disk. A directory that does not exist has nothing and
    /// stays away.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled.
    /// - Complexity: O(1) with bookkeeping.
    public func usage() async throws(TintypeError) -> DiskUsage {
        do throws(TintypeError) {
            return try await withIndex { index in try index.usage } ?? DiskUsage()
        } catch  where error.code == .unwritable {
            let records = try await recordsOfFiles()
            return DiskUsage(count: records.count, byteCount: records.reduce(0) { $0 + $1.size })
        }
    }

    /// Removes entries, the oldest first, until no more than `byteCount` bytes are left.
    ///
    /// - Returns: what was removed.
    public func trim(to byteCount: Int) async throws(TintypeError) -> DiskUsage {
        try await withIndex { index in try self.trim(index, to: DiskUsage(count: .max, byteCount: byteCount)) }
            ?? DiskUsage()
    }

    /// Removes entries, the oldest first, until all limits hold, and every entry whose time is over.
    ///
    /// - Returns: what was removed.
    public func trim() async throws(TintypeError) -> DiskUsage {
        try await withIndex { index in try self.trimToLimits(index) } ?? DiskUsage()
    }

    /// Removes everything of this version's; also when the disk is too full for the bookkeeping to be opened.
    ///
    /// - Returns: what was removed.
    /// - Throws: ``TintypeError/Code/unwritable`` when the files cannot be removed.
    public func clear() async throws(TintypeError) -> DiskUsage {
        let usage = try? await withIndex { index in try index.usage } ?? DiskUsage()
        try await onDisk { () throws(TintypeError) in
            try self.removing { () throws(TintypeError) in
                try self.removeFiles()
                self.removeRecords()
            }
            self.settle()
        }
        return usage ?? DiskUsage()
    }

    public func removeAll() async throws(TintypeError) { _ = try await clear() }

    /// Every entry, the last used first, as long as nothing is used meanwhile. Reads each file's head; those that are gone
    /// or damaged are left out. Where the bookkeeping cannot be used, the files are looked at one by one first.
    public func forEachEntry(
        _ body: @escaping @Sendable (DiskEntryFacts) -> Void
    ) async throws(TintypeError) {
        var last: IndexRecord?
        do throws(TintypeError) {
            repeat {
                let page = try await withIndex { [last] index in try index.lastUsed(Self.pageSize, after: last) } ?? []
                try await tell(page, body)
                last = page.count == Self.pageSize ? page.last : nil
            } while last != nil
        } catch  where error.code == .unwritable && last == nil {
            try await tell(recordsOfFiles(), body)
        }
    }

    private func tell(
        _ records: [IndexRecord], _ body: @escaping @Sendable (DiskEntryFacts) -> Void
    ) async throws(TintypeError) {
        try await onDisk { () throws(TintypeError) in
            for record in records { if let facts = self.facts(record) { body(facts) } }
        }
    }

    private static let pageSize = 256

    /// Reads every byte of every entry and removes what is damaged; then the bookkeeping is that of the files again.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when the bookkeeping cannot be opened;
    ///   ``TintypeError/Code/cancelled`` when the task was cancelled.
    public func verify() async throws(TintypeError) -> DiskVerification {
        await drained()
        let result = try await walk(DiskVerification()) { result, folder in self.verifyFiles(in: folder, &result) }
        _ = try await onIndex { index in try index.distrust() }
        _ = try await withIndex { _ in }
        return result
    }
}

extension DiskCache {
    private func facts(_ record: IndexRecord) -> DiskEntryFacts? {
        guard let entries = entriesHandle(),
            case .sound(let header, _) = EntryFile.readHead(record.name, in: entries)
        else { return nil }
        return DiskEntryFacts(
            key: header.key, format: header.format, byteCount: header.payloadLength,
            created: header.times.created.date, modified: header.times.modified.date,
            accessed: record.accessed.date, expires: header.times.expires?.date,
            path: layout.path(of: record.name))
    }

    private func verifyFiles(in folder: EntryFolder, _ result: inout DiskVerification) {
        guard let entries = entriesHandle() else { return }
        for name in layout.names(in: folder) {
            switch EntryFile.read(name, in: entries, for: nil) {
            case .missing: break
            case .file(let header, _, _) where EntryName(header.key) == name:
                result.sound.count += 1
                result.sound.byteCount += header.fileLength
            case .file, .damaged:
                entries.remove(name)
                result.damaged.append(layout.path(of: name))
            }
        }
    }

    /// What the bookkeeping would know, by a look at every file, the last used first: for a directory in which there can
    /// be none.
    private func recordsOfFiles() async throws(TintypeError) -> [IndexRecord] {
        let records = try await walk([IndexRecord]()) { records, folder in
            guard let entries = self.entriesHandle() else { return }
            records += self.layout.names(in: folder).compactMap { entries.record(of: $0) }
        }
        return records.sorted { $0.accessed > $1.accessed }
    }

    /// Folder by folder, some at a time, so that nothing more urgent waits and a task that is cancelled ends.
    private func walk<Result: Sendable>(
        _ initial: Result, _ body: @escaping @Sendable (inout Result, EntryFolder) -> Void
    ) async throws(TintypeError) -> Result {
        var result = initial
        for first in stride(from: 0, to: EntryFolder.count, by: EntryFolder.siblings) {
            result = try await onDisk { [result] () throws(TintypeError) in
                var result = result
                for number in first..<first + EntryFolder.siblings { body(&result, EntryFolder(number)) }
                return result
            }
        }
        return result
    }

    private func trimToLimits(_ index: DiskIndex) throws -> DiskUsage {
        let before = try index.usage
        while try enforceLimits(index) > 0 {}
        let after = try index.usage
        return DiskUsage(count: before.count - after.count, byteCount: before.byteCount - after.byteCount)
    }

    /// What is in the folder of entries, not the folder: others hold it open.
    private func removeFiles() throws(TintypeError) {
        for folder in CacheLayout.names(in: layout.entriesFolder) {
            let path = "\(layout.entriesFolder)/\(folder)"
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // Another process may be storing, or clearing, at the same time.
                guard access(path, W_OK) != 0, errno != ENOENT else { continue }
                throw TintypeError(
                    .unwritable, stage: .store, "cannot remove the entries: \(error.localizedDescription)",
                    subject: layout.root, underlying: error)
            }
        }
    }

    /// Empties the bookkeeping, or has it made anew where it cannot even be emptied.
    private func removeRecords() {
        guard layout.exists else { return }
        do {
            let index = try openIndex()
            try index.removeAll()
            // What was stored in the middle is known again; that takes little where nothing is left.
            while try index.reconcile(layout) {}
        } catch {
            giveUp(error)
        }
    }

    /// Runs `body` on the bookkeeping once it is that of the files; not when there is no cache in the directory yet.
    private func withIndex<Value: Sendable>(
        _ body: @escaping @Sendable (DiskIndex) throws -> Value
    ) async throws(TintypeError) -> Value? {
        await drained()
        while try await onIndex({ index in try !index.isReconciled && index.reconcile(self.layout) }) ?? false {}
        return try await onIndex(body)
    }

    private func onIndex<Value: Sendable>(
        _ body: @escaping @Sendable (DiskIndex) throws -> Value
    ) async throws(TintypeError) -> Value? {
        try await onDisk { () throws(TintypeError) in
            guard self.layout.exists else { return nil }
            do {
                defer { self.settle() }
                return try body(try self.openIndex())
            } catch {
                self.giveUp(error)
                throw DiskIndex.failure(error, self.layout)
            }
        }
    }
}
