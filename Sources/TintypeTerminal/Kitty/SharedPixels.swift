import Foundation
package import TintypeCore

/// Pixels in a shared memory object, for a terminal on the same machine.
///
/// The terminal removes the object after reading it. Call ``remove()`` in case it has not.
package struct SharedPixels: Hashable, Sendable {
    /// The name of the object, with its slash.
    package let name: String

    /// POSIX shared memory objects of Linux are the files of this directory.
    private static let directory = "/dev/shm"

    /// The objects of this process.
    private struct Objects: Sendable {
        var lastNumber = 0
        /// The names of those that may still be there.
        var names: Set<String> = []

        mutating func begin() -> String {
            lastNumber += 1
            let name = "/tintype-\(getpid())-\(lastNumber)"
            names.insert(name)
            return name
        }
    }

    private static let objects = Locked(Objects())

    /// Writes bytes into a new object that only this user can read.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if there is no shared memory, or too little.
    package init(_ bytes: [UInt8]) throws(TintypeError) {
        name = Self.objects.withLock { $0.begin() }
        let descriptor = open(Self.directory + name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let error = errno
            Self.objects.withLock { [name] in _ = $0.names.remove(name) }
            throw Self.failure(error)
        }
        defer { close(descriptor) }
        let failure = bytes.withUnsafeBytes { $0.write(to: descriptor) }
        guard failure == 0 else {
            remove()
            throw Self.failure(failure)
        }
    }

    /// Removes the object, if the terminal has not done so.
    package func remove() {
        unlink(Self.directory + name)
        Self.objects.withLock { _ = $0.names.remove(name) }
    }

    /// Removes all objects of this process, which is about to end.
    package static func removeAll() {
        for name in objects.withLock({ $0.names }) { unlink(directory + name) }
    }

    private static func failure(_ number: Int32) -> TintypeError {
        TintypeError(
            .unwritable, stage: .store, "cannot share pixels: \(SystemError.description(number))", subject: directory)
    }
}
