import Foundation

/// Files by bare system calls, as the controls use them.
enum PlainFile {
    struct Failure: Error {
        let number = errno
    }

    static func read(_ path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, let memory = malloc(Int(facts.st_size)) else { throw Failure() }
        let count = Foundation.read(descriptor, memory, Int(facts.st_size))
        return Data(bytesNoCopy: memory, count: max(0, count), deallocator: .free)
    }

    /// Writes under another name and renames, so that no reader sees half a file.
    static func replace(_ path: String, with data: Data) throws {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard written == data.count, rename(temporary, path) == 0 else { throw Failure() }
    }
}
