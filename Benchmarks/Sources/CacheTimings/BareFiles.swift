import Foundation

/// The control of the disk cache: files in the folders that the cache would use, through plain system calls.
struct BareFiles {
    struct Failure: Error {
        let number = errno
    }

    let folder: String

    /// The path of a file, in a folder chosen by a hash of its number.
    func path(_ number: Int) -> String {
        let hash = UInt32(truncatingIfNeeded: number) &* 2_654_435_769
        return "\(folder)/\(String(hash >> 24, radix: 16))/\(String(hash >> 20 & 15, radix: 16))/\(number)"
    }

    /// Creates all folders.
    func makeFolders() {
        mkdir(folder, 0o700)
        for first in 0..<256 {
            mkdir("\(folder)/\(String(first, radix: 16))", 0o700)
            for second in 0..<16 { mkdir("\(folder)/\(String(first, radix: 16))/\(String(second, radix: 16))", 0o700) }
        }
    }

    /// Opens, stats, reads and closes a file.
    static func read(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, let memory = malloc(Int(facts.st_size)) else { throw Failure() }
        defer { free(memory) }
        guard Foundation.read(descriptor, memory, Int(facts.st_size)) == Int(facts.st_size) else { throw Failure() }
    }

    /// Fails to open a file.
    static func miss(_ path: String) throws {
        guard open(path, O_RDONLY | O_CLOEXEC) < 0 else { throw Failure() }
    }

    /// Writes, closes and renames a file.
    static func write(_ bytes: Data, to path: String, temporary: String) throws {
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard written == bytes.count, rename(temporary, path) == 0 else { throw Failure() }
    }
}

/// A folder for files, inside the temporary directory. The caller of the program removes it.
enum Scratch {
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-timings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
