/// The temporary files of writes that are running, so that an ending process can remove them. A pure struct.
///
/// A path is known before its file is created, and whether it has been created is known afterwards. Between the two,
/// the file may appear at any moment.
struct TemporaryFiles: Sendable {
    private var opening: Set<String> = []
    private var open: Set<String> = []
    private var isClosed = false

    /// Announces a file that is about to be created.
    ///
    /// - Returns: `false` if the process is about to end, and the file must not be created.
    mutating func begin(_ path: String) -> Bool {
        guard !isClosed else { return false }
        opening.insert(path)
        return true
    }

    /// Records that the file has been created, or could not be.
    mutating func didOpen(_ path: String) {
        if let path = opening.remove(path) { open.insert(path) }
    }

    /// Records that the file has been renamed or removed.
    mutating func end(_ path: String) {
        opening.remove(path)
        open.remove(path)
    }

    /// Forbids further files, and returns those to remove.
    ///
    /// - Returns: The paths, and whether others are being created, so that the caller asks again soon.
    mutating func close() -> (paths: Set<String>, isIncomplete: Bool) {
        isClosed = true
        return (open, !opening.isEmpty)
    }
}
