import Foundation

/// Folders for files, inside the temporary directory.
///
/// They are not removed here, since ext4 makes files slowly for some seconds after others were removed: `scripts/bench`
/// sets a temporary directory of its own and removes that in the end.
enum Scratch {
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
