import Foundation
import Tintype

/// Finds the images that arguments name: themselves, those in directories, and those that a pattern matches.
struct InputFinder {
    /// Whether directories are searched, with all directories below them.
    let isRecursive: Bool

    /// - Returns: The inputs in the order of the arguments, those of a directory in the order of their names.
    /// - Throws: ``TintypeError/Code/unreadable`` for a directory that cannot be read.
    func inputs(_ arguments: [SourceArgument]) throws(TintypeError) -> [BatchInput] {
        var inputs: [BatchInput] = []
        for argument in arguments { inputs += try expand(argument) }
        return inputs
    }

    private func expand(_ argument: SourceArgument) throws(TintypeError) -> [BatchInput] {
        guard let path = argument.path, path != "-" else { return [BatchInput(source: argument)] }
        if isRecursive, Self.isDirectory(path) { return try images(in: path, below: "") }
        guard Self.isPattern(path), access(path, F_OK) != 0 else { return [BatchInput(source: argument)] }
        var found: [BatchInput] = []
        for match in Self.matches(path) {
            let isSearched = isRecursive && Self.isDirectory(match)
            found +=
                isSearched ? try images(in: match, below: "") : [BatchInput(source: SourceArgument(argument: match))]
        }
        // A pattern without matches is reported as a missing file.
        return found.isEmpty ? [BatchInput(source: argument)] : found
    }

    /// Returns the files with the extension of an image format. Hidden files, and links to directories, are left out.
    private func images(in directory: String, below relative: String) throws(TintypeError) -> [BatchInput] {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted() } catch {
            throw TintypeError(.unreadable, stage: .load, SystemError.description(errno), subject: directory)
        }
        var inputs: [BatchInput] = []
        for name in names where !name.hasPrefix(".") {
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            if Self.isDirectory(path, followingLinks: false) {
                inputs += try images(in: path, below: relative.isEmpty ? name : "\(relative)/\(name)")
            } else if InputName(name).format != nil, !Self.isDirectory(path) {
                inputs.append(BatchInput(source: SourceArgument(argument: path), directory: relative))
            }
        }
        return inputs
    }

    static func isDirectory(_ path: String, followingLinks: Bool = true) -> Bool {
        var facts = stat()
        let status = followingLinks ? stat(path, &facts) : lstat(path, &facts)
        return status == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a path contains characters that a shell expands.
    static func isPattern(_ path: String) -> Bool {
        path.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[") }
    }

    /// Returns the paths that match a pattern (glob(3)), in the order of their names.
    private static func matches(_ pattern: String) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(pattern, 0, nil, &result) == 0, let paths = result.gl_pathv else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { paths[$0].flatMap { String(validatingCString: $0) } }
    }
}
