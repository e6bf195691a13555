import Foundation
@testable import TintypeDisk

/// A folder that lives as long as a test.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path(percentEncoded: false) }

    /// Every regular file below, by path.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        return all.map { "\(path)/\($0)" }.filter { file in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}

extension DiskCache {
    /// Waits until its index is known to have every file, so that nothing looks at the files behind a test's back.
    func waitUntilReconciled() async throws {
        let index = try openIndex()
        while try !index.isReconciled {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
