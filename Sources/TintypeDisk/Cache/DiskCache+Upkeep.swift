import Foundation
public import TintypeCore

// Maintenance of the cache as a whole. Every method first waits for earlier changes to be written.

extension DiskCache {
    /// Returns the number of entries and their size.
    ///
    /// Takes the totals from the index. The files are scanned only if the index is being rebuilt or cannot be used, for
    /// example in a read-only directory or on a full disk. A directory that does not exist is empty and is not created.
    ///
    /// - Throws: `TintypeError.Code.cancelled` if the task is cancelled.
    /// - Complexity: O(1) with a current index, O(*n*) otherwise.
    public func usage() async throws(TintypeError) -> DiskUsage {
        do throws(TintypeError) {
            return try await withIndex { index in
                var usage = try index.usage
                usage.add(try self.currentSegments()?.usage() ?? DiskUsage())
                return usage
            } ?? DiskUsage()
        } catch  where error.code == .unwritable {
            var usage = DiskUsage(of: try await recordsOfFiles())
            usage.add(try await records().reduce(into: DiskUsage()) { $0.add($1.usage) })
            return usage
        }
    }

    /// Removes the oldest entries until at most `byteCount` bytes are left, or every expired entry and then the oldest
    /// ones until all limits hold.
    ///
    /// - Parameter byteCount: The size of the entries to keep, in bytes; `nil` stands for the limits.
    /// - Returns: The number and size of the removed entries.
    /// - Throws: `TintypeError.Code.unwritable` if the index cannot be used; `TintypeError.Code.cancelled` if the
    ///   task is cancelled.
    public func trim(to byteCount: Int? = nil) async throws(TintypeError) -> DiskUsage {
        try await withIndex { index in
            guard let byteCount else { return try self.trimToLimits(index) }
            return try self.trim(index, to: DiskUsage(count: .max, byteCount: byteCount))
        } ?? DiskUsage()
    }

    /// Removes all entries, even if the disk is too full to open the index. Files of other cache versions, and files
    /// that are not entries, stay.
    ///
    /// - Returns: The number and size of the removed entries.
    /// - Throws: `TintypeError.Code.unwritable` if the files cannot be removed, or if other users own the directory
    ///   or may write to it; `TintypeError.Code.cancelled` if the task is cancelled.
    public func clear() async throws(TintypeError) -> DiskUsage {
        await drain()
        return try await onDisk { () throws(TintypeError) in
            defer { self.markCleanIfSettled() }
            return try self.performRemoval { () throws(TintypeError) in
                var removed = try self.removeFiles()
                removed.add(try self.removeRecords())
                self.resetPresence()
                self.emptyIndex()
                return removed
            }
        }
    }

    /// Removes all entries, like ``clear()``.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if the files cannot be removed; `TintypeError.Code.cancelled` if
    ///   the task is cancelled.
    public func removeAll() async throws(TintypeError) { _ = try await clear() }

    /// Calls a closure for every entry, most recently used first. Entries that are used during the call can change
    /// their position in the order.
    ///
    /// Reads the header of each file and skips files that are gone or damaged. If the index cannot be used, all files
    /// are scanned first.
    ///
    /// - Parameter body: Runs on a disk thread, for one entry at a time.
    /// - Throws: `TintypeError.Code.unwritable` if the index fails after the first page;
    ///   `TintypeError.Code.cancelled` if the task is cancelled.
    package func forEachEntry(
        _ body: @escaping @Sendable (DiskEntryFacts) -> Void
    ) async throws(TintypeError) {
        var records = ArraySlice(try await records())
        var last: IndexRecord?
        do throws(TintypeError) {
            repeat {
                let page = try await withIndex { [last] index in try index.lastUsed(Self.pageSize, after: last) } ?? []
                try await visit(page, &records, body)
                last = page.count == Self.pageSize ? page.last : nil
            } while last != nil
        } catch  where error.code == .unwritable && last == nil {
            try await visit(recordsOfFiles(), &records, body)
        }
        try await visit([], &records, body, isLast: true)
    }

    /// Visits some files, and the entries in segments that were used after the last of them.
    private func visit(
        _ files: [IndexRecord], _ records: inout ArraySlice<StoredRecord>,
        _ body: @escaping @Sendable (DiskEntryFacts) -> Void, isLast: Bool = false
    ) async throws(TintypeError) {
        records = try await onDisk { [records] () throws(TintypeError) in
            var records = records
            func visitRecords(usedAfter time: DiskTime) {
                while let record = records.first, record.accessed > time {
                    if let facts = self.facts(record) { body(facts) }
                    records.removeFirst()
                }
            }
            for file in files {
                visitRecords(usedAfter: file.accessed)
                if let facts = self.facts(file) { body(facts) }
            }
            if isLast { visitRecords(usedAfter: DiskTime(microseconds: .min)) }
            return records
        }
    }

    /// The number of records that one index query returns.
    private static let pageSize = 256
}

extension DiskCache {
    private func facts(_ record: IndexRecord) -> DiskEntryFacts? {
        guard let entries = entriesHandle(),
            case .sound(let header, _) = EntryFile.readHead(record.name, in: entries)
        else { return nil }
        return DiskEntryFacts(header, accessed: record.accessed, path: layout.path(of: record.name))
    }

    private func facts(_ record: StoredRecord) -> DiskEntryFacts? {
        guard let segments = state.withLock({ $0.segments }), let (segment, slot) = try? segments.slot(record.place),
            slot.isLive, let header = segment.withRecord(of: slot, { EntryHeader(decoding: $0) })
        else { return nil }
        return DiskEntryFacts(header, accessed: record.accessed, path: segments.path(of: segment.number))
    }

    private func trimToLimits(_ index: DiskIndex) throws -> DiskUsage {
        func usage() throws -> DiskUsage {
            var usage = try index.usage
            usage.add(try currentSegments()?.usage() ?? DiskUsage())
            return usage
        }
        state.withLock { $0.lastSweep = nil }
        var removed = try usage()
        while try enforceLimits(index) > 0 {}
        removed.remove(try usage())
        return removed
    }

    /// Removes the files of all entries, and nothing else.
    private func removeFiles() throws(TintypeError) -> DiskUsage {
        do throws(DiskFailure) {
            return try EntriesHandle(layout).removeAll()
        } catch {
            guard !error.isMissing else { return DiskUsage() }
            throw error.error
        }
    }

    private func removeRecords() throws(TintypeError) -> DiskUsage {
        do throws(DiskFailure) { return try currentSegments()?.removeAll() ?? DiskUsage() } catch { throw error.error }
    }

    /// Empties the index, or leaves it to be rebuilt if that fails.
    private func emptyIndex() {
        guard layout.exists else { return }
        try? useIndex { index in
            try index.removeAll()
            // Adds the entries that were stored during the removal. This is fast, because few files are left.
            while try reconcile(index) {}
        }
    }

    /// Runs `body` on the index after it is reconciled with the files. Returns `nil` if the directory contains no cache
    /// yet.
    func withIndex<Value: Sendable>(
        _ body: @escaping @Sendable (DiskIndex) throws -> Value
    ) async throws(TintypeError) -> Value? {
        await drain()
        // A damaged index can be replaced by an empty one at any time, but hardly twice.
        for _ in 1...2 {
            while try await onIndex({ index in try !index.isReconciled && self.reconcile(index) }) ?? false {}
            let result = try await onIndex { index -> Value? in try index.isReconciled ? body(index) : nil }
            guard case .some(nil) = result else { return result ?? nil }
        }
        return try await onIndex(body)
    }

    func onIndex<Value: Sendable>(
        _ body: @escaping @Sendable (DiskIndex) throws -> Value
    ) async throws(TintypeError) -> Value? {
        try await onDisk { () throws(TintypeError) in
            guard self.layout.exists else { return nil }
            do {
                defer { self.markCleanIfSettled() }
                return try self.useIndex(body)
            } catch {
                throw DiskIndex.failure(error, self.layout)
            }
        }
    }
}
