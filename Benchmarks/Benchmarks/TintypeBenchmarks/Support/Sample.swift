import Dispatch
import Foundation
import Tintype

/// The images to measure with, which are those of the demo.
enum Sample {
    /// 1280 × 853, baseline.
    static func jpeg() throws -> Data { try file("ocean.jpg") }
    /// 800 × 600, RGBA.
    static func png() throws -> Data { try file("glass.png") }

    private static func file(_ name: String, here: String = #filePath) throws -> Data {
        let package = (0..<5).reduce(URL(filePath: here)) { url, _ in url.deletingLastPathComponent() }
        return try Data(contentsOf: package.appending(path: "Sources/CTintypeSamples/Samples/\(name)"))
    }
}

/// Files through plain system calls, for the controls.
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

    /// Writes under another name and renames, so that no reader sees a partial file.
    static func replace(_ path: String, with data: Data) throws {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard written == data.count, rename(temporary, path) == 0 else { throw Failure() }
    }
}

/// Folders for files, inside the temporary directory.
///
/// They are not removed here, because ext4 creates files slowly for some seconds after others were removed.
/// `scripts/bench/run` sets a temporary directory of its own and removes it at the end.
enum Scratch {
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// Blocking work outside the cooperative threads, for the controls.
enum ControlThread {
    private static let queue = DispatchQueue(label: "control", attributes: .concurrent)

    static func decode(_ bytes: @escaping @Sendable () throws -> Data) async throws -> Image {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try JPEGDecoder().decode(try bytes(), context: DecodeContext()) })
            }
        }
    }
}
