import Foundation
public import TintypeCore

// What a person or a program does with a cache as a whole. Everything here waits for what was stored before.

extension DiskCache {
    /// How much there is; does not look at the files, unless the bookkeeping was lost and is being made anew. A
    /// directory that does not exist has nothing and stays away.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when the bookkeeping cannot be opened.
    /// - Complexity: O(1).
    public func usage() async throws(TintypeError) -> DiskUsage {
        try await withIndex { index in try index.usage } ?? DiskUsage()
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
        let usage = try? await usage()
        try await onDisk { () throws(TintypeError) in
            try self.removeFiles()
            self.removeRecords()
        }
        return usage ?? DiskUsage()
    }

    public func removeAll() async throws(TintypeError) { _ = try await clear() }

    /// Every entry, the last used first. Reads each file's head; those that are gone or damaged are left out.
    public func forEachEntry(
        _ body: @escaping @Sendable (DiskEntryFacts) -> Void
    ) async throws(TintypeError) {
        let records = try await withIndex { index in try index.all() } ?? []
        try await onDisk { () throws(TintypeError) in
            for record in records {
                if let facts = self.facts(record) { body(facts) }
            }
        }
    }

    /// Reads every byte of every entry and removes what is damaged; then the bookkeeping is that of the files again.
    public func verify() async throws(TintypeError) -> DiskVerification {
        await drained()
        let result = try await onDisk { () throws(TintypeError) in self.verifyFiles() }
        _ = try await withIndex { index in
            try index.distrust()
            while try index.reconcile(self.layout) {}
        }
        return result
    }
}

extension DiskCache {
    private func facts(_ record: IndexRecord) -> DiskEntryFacts? {
        guard let entries = entriesHandle(), let (header, _) = EntryFile.readHead(record.name, in: entries) else {
            return nil
        }
        return DiskEntryFacts(
            key: header.key, format: header.format, byteCount: header.payloadLength,
            created: header.times.created.date, modified: header.times.modified.date,
            accessed: record.accessed.date, expires: header.times.expires?.date,
            path: layout.path(of: record.name))
    }

    private func verifyFiles() -> DiskVerification {
        var result = DiskVerification()
        guard let entries = entriesHandle() else { return result }
        layout.forEachEntry { name in
            let path = layout.path(of: name)
            switch EntryFile.read(name, in: entries, for: nil) {
            case .missing: break
            case .file(let header, _, _) where EntryName(header.key) == name:
                result.sound.count += 1
                result.sound.byteCount += header.fileLength
            case .file, .damaged:
                unlink(path)
                result.damaged.append(path)
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
            try openIndex().removeAll()
        } catch {
            giveUp(error)
        }
    }

    /// Runs `body` on the bookkeeping once it is that of the files; not when there is no cache in the directory yet.
    private func withIndex<Value: Sendable>(
        _ body: @escaping @Sendable (DiskIndex) throws -> Value
    ) async throws(TintypeError) -> Value? {
        await drained()
        return try await onDisk { () throws(TintypeError) in
            guard self.layout.exists else { return nil }
            do {
                let index = try self.openIndex()
                while try index.reconcile(self.layout) {}
                return try body(index)
            } catch {
                self.giveUp(error)
                throw DiskIndex.failure(error, self.layout)
            }
        }
    }
}
