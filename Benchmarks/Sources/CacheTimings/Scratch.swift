import Foundation

/// A folder for files, inside the temporary directory; whoever runs this removes it.
enum Scratch {
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-timings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
