import Foundation
import TintypeCore

/// Reads and writes the files of entries.
enum EntryFile {
    enum Reading {
        case entry(CacheEntry, EntryHeader)
        case missing
        /// Not a whole, undamaged entry of this key.
        case damaged
    }

    /// Opens one file, reads it whole and verifies every byte of it; touches nothing else.
    ///
    /// - Parameter key: whose entry it must be; `nil` takes that of any key.
    static func read(_ path: String, for key: CacheKey?) -> Reading {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .missing }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return .damaged }
        guard let bytes = readAll(descriptor, count: Int(facts.st_size)) else { return .damaged }
        return verified(bytes, for: key)
    }

    /// The head alone, verified; `nil` when it is missing or damaged.
    static func readHeader(_ path: String) -> (header: EntryHeader, fileSize: Int)? {
        guard let file = try? LocalFile(reading: path), let start = try? file.read(4096, from: 0) else { return nil }
        guard let lengths = start.withUnsafeBytes(EntryHeader.Lengths.init), lengths.file == file.byteCount,
            let head = try? file.read(EntryHeader.fixedLength + lengths.variable, from: 0),
            let header = head.withUnsafeBytes({ EntryHeader(decoding: $0) })
        else { return nil }
        return (header, file.byteCount)
    }

    private static func readAll(_ descriptor: Int32, count: Int) -> Data? {
        guard count >= EntryHeader.fixedLength, let memory = malloc(count) else { return nil }
        var filled = 0
        while filled < count {
            let result = Foundation.read(descriptor, memory + filled, count - filled)
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { break }
            filled += result
        }
        return Data(bytesNoCopy: memory, count: filled, deallocator: .free)
    }

    private static func verified(_ bytes: Data, for key: CacheKey?) -> Reading {
        let checked = bytes.withUnsafeBytes { buffer -> (EntryHeader, Int)? in
            guard let lengths = EntryHeader.Lengths(buffer), lengths.file == buffer.count,
                let header = EntryHeader(decoding: buffer, for: key)
            else { return nil }
            let start = EntryHeader.fixedLength + lengths.variable
            let payload = UnsafeRawBufferPointer(rebasing: buffer[start...])
            return Checksum.of(payload) == header.payloadChecksum ? (header, start) : nil
        }
        guard let (header, start) = checked else { return .damaged }
        // A slice: the payload is not copied.
        let entry = CacheEntry(
            data: bytes[start...], format: header.format, metadata: header.metadata, created: header.created)
        return .entry(entry, header)
    }
}

// MARK: - Writing

extension EntryFile {
    /// Writes an entry under a temporary name and renames it, so that a reader sees all of it or nothing.
    ///
    /// - Returns: the bytes of the file.
    /// - Throws: ``TintypeError/Code/unwritable``; then nothing is left behind.
    static func write(_ entry: CacheEntry, for key: CacheKey, in layout: CacheLayout) throws(TintypeError) -> Int {
        let header = EntryHeader(entry, for: key).encoded
        let name = EntryName(key)
        let temporary = layout.newTemporaryPath()
        let descriptor = try create(temporary, layout)
        do throws(TintypeError) {
            defer { close(descriptor) }
            try writeAll(header, to: descriptor, temporary)
            try writeAll(entry.data, to: descriptor, temporary)
        } catch {
            unlink(temporary)
            throw error
        }
        try publish(temporary, as: name, layout)
        return header.count + entry.data.count
    }

    private static func create(_ path: String, _ layout: CacheLayout) throws(TintypeError) -> Int32 {
        func attempt() -> Int32 { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        var descriptor = attempt()
        if descriptor < 0, errno == ENOENT {
            try layout.makeFolder(layout.temporaryFolder)
            descriptor = attempt()
        }
        guard descriptor >= 0 else { throw failure(errno, layout.root) }
        return descriptor
    }

    private static func writeAll(_ data: Data, to descriptor: Int32, _ path: String) throws(TintypeError) {
        var number: Int32 = 0
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                let result = Foundation.write(descriptor, buffer.baseAddress, buffer.count)
                if result < 0 && errno == EINTR { continue }
                guard result > 0 else {
                    number = result < 0 ? errno : ENOSPC
                    return
                }
                rest = rest.dropFirst(result)
            }
        }
        if number != 0 { throw failure(number, path) }
    }

    private static func publish(_ temporary: String, as name: EntryName, _ layout: CacheLayout) throws(TintypeError) {
        let target = layout.path(of: name)
        if rename(temporary, target) == 0 { return }
        if errno == ENOENT {
            do throws(TintypeError) {
                try layout.makeFolder(layout.folder(of: name))
            } catch {
                unlink(temporary)
                throw error
            }
            if rename(temporary, target) == 0 { return }
        }
        let number = errno
        unlink(temporary)
        throw failure(number, target)
    }

    static func failure(_ number: Int32, _ path: String) -> TintypeError {
        TintypeError(.unwritable, stage: .store, "cannot write: \(SystemError.description(number))", subject: path)
    }
}
