import Foundation
import Tintype

/// Detects changes of files by their modification times and sizes, which also works for replaced files and on network
/// drives.
struct FileWatch: Sendable {
    /// The time between two checks.
    private static let interval = Duration.milliseconds(250)

    /// The properties of a file that differ after a change.
    struct Stamp: Equatable, Sendable {
        let seconds: Int
        let nanoseconds: Int
        let byteCount: Int
        let number: UInt64

        /// - Returns: `nil` if there is no such file.
        init?(_ path: String) {
            var facts = stat()
            guard stat(path, &facts) == 0 else { return nil }
            (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
            (byteCount, number) = (Int(facts.st_size), UInt64(facts.st_ino))
        }
    }

    /// Returns the changes of a file, until the task that reads them is cancelled.
    ///
    /// - Parameter path: The file that is of interest now; `nil` if there is none.
    @MainActor func changes(of path: @escaping @MainActor () -> String?) -> AsyncStream<Void> {
        AsyncStream { continuation in
            let task = Task { @MainActor in
                var state = WatchState()
                while !Task.isCancelled {
                    let path = path()
                    if state.hasChanged(path, stamp: path.flatMap(Stamp.init)) { continuation.yield() }
                    try? await Task.sleep(for: Self.interval)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Decides whether a file has changed, from one check to the next.
struct WatchState {
    private var path: String?
    private var stamp: FileWatch.Stamp?
    /// Set while a file changes: it is read only when it has stayed the same from one check to the next.
    private var isChanging = false

    /// - Parameter newStamp: `nil` while there is no such file, for example while it is replaced.
    /// - Returns: Whether the file has changed, and the change seems to be complete.
    mutating func hasChanged(_ newPath: String?, stamp newStamp: FileWatch.Stamp?) -> Bool {
        guard newPath == path else {
            (path, stamp, isChanging) = (newPath, newStamp, false)
            return false
        }
        guard let newStamp else { return false }
        guard newStamp == stamp else {
            isChanging = true
            stamp = newStamp
            return false
        }
        defer { isChanging = false }
        return isChanging
    }
}
