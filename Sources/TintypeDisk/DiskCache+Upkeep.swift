import Foundation
public import TintypeCore

// What a person or a program does with a cache as a whole. Everything here waits for what was stored before.

extension DiskCache {
    /// How much there is; does not look at the files. A directory that does not exist has nothing and stays away.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` when the bookkeeping cannot be opened.
    public func usage() async throws(TintypeError) -> DiskUsage {
        try await withIndex { index in try index?.usage } ?? DiskUsage(count: 0, byteCount: 0)
    }

    /// Removes entries, those first that were not used for longest, until no more than `byteCount` bytes are left.
    ///
    /// - Returns: what was removed.
    public func trim(to byteCount: Int) async throws(TintypeError) -> DiskUsage {
        try await withIndex { index in try index.map { try self.trim($0, to: byteCount) } }
            ?? DiskUsage(count: 0, byteCount: 0)
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
        return usage ?? DiskUsage(count: 0, byteCount: 0)
    }

    /// Every entry, the last used first. Reads each file's head; those that are gone or damaged are left out.
    public func forEachEntry(
        _ body: @escaping @Sendable (DiskEntryFacts) -> Void
    ) async throws(TintypeError) {
        let records = try await withIndex { index in try index?.all() } ?? []
        try await onDisk { () throws(TintypeError) in
            for record in records {
                if let facts = self.facts(record) { body(facts) }
            }
        }
    }

    /// Reads every byte of every entry and removes what is damaged; the bookkeeping is brought up to date.
    public func verify() async throws(TintypeError) -> DiskVerification {
        await drained()
        let (result, batch) = try await onDisk { () throws(TintypeError) in self.verifyFiles() }
        _ = try await withIndex { index in try index?.apply(batch) }
        return result
    }
}

extension DiskCache {
    private func facts(_ record: IndexRecord) -> DiskEntryFacts? {
        let path = layout.path(of: record.name)
        guard let (header, _) = EntryFile.readHeader(path) else { return nil }
        return DiskEntryFacts(
            key: header.key, format: header.format, byteCount: header.payloadLength, created: header.created,
            accessed: record.accessed, path: path)
    }

    private func verifyFiles() -> (DiskVerification, IndexBatch) {
        var result = DiskVerification()
        var batch = IndexBatch()
        layout.forEachEntry { name in
            let path = layout.path(of: name)
            switch EntryFile.read(path, for: nil) {
            case .missing: break
            case .entry(_, let header) where EntryName(header.key) == name:
                result.sound.count += 1
                result.sound.byteCount += header.length + header.payloadLength
            case .entry, .damaged:
                unlink(path)
                result.damaged.append(path)
                batch.removed.append(name)
            }
        }
        return (result, batch)
    }

    private func removeFiles() throws(TintypeError) {
        guard layout.exists else { return }
        do {
            for folder in [layout.entriesFolder, layout.temporaryFolder] where access(folder, F_OK) == 0 {
                try FileManager.default.removeItem(atPath: folder)
            }
        } catch {
            throw TintypeError(
                .unwritable, stage: .store, "cannot remove the entries: \(error.localizedDescription)",
                subject: layout.root, underlying: error)
        }
    }

    /// Empties the bookkeeping, or takes it away where it cannot even be emptied.
    private func removeRecords() {
        guard layout.exists else { return }
        do {
            try openIndex().removeAll()
        } catch {
            forgetIndex(isDamaged: true)
        }
    }

    /// Runs `body` on the bookkeeping, or on `nil` when there is no cache in the directory yet.
    private func withIndex<Value: Sendable>(
        _ body: @escaping @Sendable (DiskIndex?) throws -> Value
    ) async throws(TintypeError) -> Value {
        await drained()
        return try await onDisk { () throws(TintypeError) in
            do {
                return try body(self.layout.exists ? self.openIndex() : nil)
            } catch {
                throw self.indexProblem(error)
            }
        }
    }

    private func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal), body)
    }
}
