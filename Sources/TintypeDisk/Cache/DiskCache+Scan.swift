import Foundation
public import TintypeCore

// Passes over all files of the cache.

extension DiskCache {
    /// Verifies every byte of every entry, removes damaged files, and reconciles the index with the files.
    ///
    /// - Returns: The sound entries and the damaged files.
    /// - Throws: `TintypeError.Code.unwritable` if the index cannot be opened; `TintypeError.Code.cancelled` if the
    ///   task is cancelled.
    /// - Complexity: O(*n*) in the bytes of all entries.
    public func verify() async throws(TintypeError) -> DiskVerification {
        await drain()
        var result = try await walk(DiskVerification()) { result, folder in self.verifyFiles(in: folder, &result) }
        try await verifySegments(&result)
        _ = try await onIndex { index in try index.markUnreconciled() }
        _ = try await withIndex { _ in }
        return result
    }

    private func verifyFiles(in folder: EntryFolder, _ result: inout DiskVerification) {
        guard let entries = entriesHandle() else { return }
        for name in (try? entries.names(in: folder)) ?? [] {
            switch EntryFile.read(name, in: entries, for: nil) {
            case .absent, .unreadable: break
            case .file(let header, _, _) where EntryName(header.key) == name:
                _ = adoptFile(header)
                result.sound.count += 1
                result.sound.byteCount += DiskUsage.allocatedSize(header.fileLength)
            case .file, .damaged:
                result.damaged.append(layout.path(of: name))
                if !entries.remove(name) { result.unremovable.append(layout.path(of: name)) }
            }
        }
    }

    private func verifySegments(_ result: inout DiskVerification) async throws(TintypeError) {
        let segments = try await onDisk { () throws(TintypeError) in self.currentSegments() }
        guard let segments else { return }
        for file in (try? segments.removeDamagedFiles()) ?? [] {
            result.damaged.append(file.path)
            if !file.isRemoved { result.unremovable.append(file.path) }
        }
        for segment in (try? segments.all()) ?? [] {
            result = try await onDisk { [result] () throws(TintypeError) in
                var result = result
                segments.verify(segment, &result)
                // All keys are inserted again.
                try? self.adoptRecords(of: segment)
                return result
            }
        }
    }

    /// Returns the entries in segments, those that were used last first.
    func records() async throws(TintypeError) -> [StoredRecord] {
        try await onDisk { () throws(TintypeError) in
            ((try? self.currentSegments()?.records(by: .access)) ?? []).reversed()
        }
    }

    /// Reads every file's header in place of an index that cannot be used. The records are sorted by last use, most
    /// recent first.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if other users own the directory or may write to it.
    func recordsOfFiles() async throws(TintypeError) -> [IndexRecord] {
        try await onDisk { () throws(TintypeError) in
            do throws(DiskFailure) { _ = try EntriesHandle(self.layout) } catch {
                if error.isRefusal { throw error.error }
            }
        }
        let records = try await walk([IndexRecord]()) { records, folder in
            guard let entries = self.entriesHandle(), let names = try? entries.names(in: folder) else { return }
            records += names.compactMap { entries.record(of: $0) }
        }
        return records.sorted { $0.accessed > $1.accessed }
    }

    /// Runs `body` for every folder, 16 folders per job, so that more urgent work can go first and cancellation takes
    /// effect.
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
}
