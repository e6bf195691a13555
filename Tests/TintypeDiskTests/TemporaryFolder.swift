import Foundation

@testable import TintypeDisk

/// A folder that is removed at the end of a test.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path(percentEncoded: false) }

    /// The paths of all regular files below the folder.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        return all.map { "\(path)/\($0)" }.filter { file in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}

extension DiskCache {
    /// Waits until the index matches the files, so that no background scan interferes with a test.
    func waitUntilReconciled() async throws {
        let index = try openIndex()
        while try !index.isReconciled {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
