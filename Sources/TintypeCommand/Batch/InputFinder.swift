import Foundation
import Tintype

/// An image that a command works on, and where it was found.
struct BatchInput: Hashable, Sendable {
    let source: SourceArgument
    /// The directory below the one that was named, without slashes at its ends; empty if the input was named itself.
    var directory = ""
    /// The number of the error with which the directory that the source names could not be listed; `nil` for an image.
    var listingError: Int32?

    /// The source as output names it.
    var name: String { SourceArgument.displayName(of: source.text) }

    /// Whether this is a file that can be opened by its path.
    var isFile: Bool { !source.isStandardInput && source.path != nil && listingError == nil }

    /// Why this is not an image, or `nil`.
    var failure: TintypeError? {
        listingError.map { number in
            let reason = "cannot list the directory: \(SystemError.description(number))"
            return TintypeError(.unreadable, stage: .load, reason, subject: name)
        }
    }
}

/// Finds the images that arguments name: themselves, those in directories, and those that a pattern matches.
///
/// A directory that cannot be listed is an input with a failure, so that it does not stop the other ones.
struct InputFinder {
    /// Whether directories are searched, with all directories below them.
    let isRecursive: Bool

    /// - Returns: The inputs in the order of the arguments, those of a directory in the order of their names.
    func inputs(_ arguments: [SourceArgument]) -> [BatchInput] {
        arguments.flatMap(expand)
    }

    private func expand(_ argument: SourceArgument) -> [BatchInput] {
        guard let path = argument.path, path != "-" else { return [BatchInput(source: argument)] }
        if isRecursive, Self.isDirectory(path) { return images(in: path, below: "") }
        guard Self.isPattern(path), access(path, F_OK) != 0 else { return [BatchInput(source: argument)] }
        let inputs = Self.matches(path).flatMap { match in
            isRecursive && Self.isDirectory(match)
                ? images(in: match, below: "") : [BatchInput(source: SourceArgument(argument: match))]
        }
        // A pattern without matches is reported as a missing file.
        return inputs.isEmpty ? [BatchInput(source: argument)] : inputs
    }

    /// Returns the files with the extension of an image format. Hidden files, and links to directories, are left out.
    private func images(in directory: String, below relative: String) -> [BatchInput] {
        switch Self.names(in: directory) {
        case .failure(let error):
            return [
                BatchInput(
                    source: SourceArgument(argument: directory), directory: relative, listingError: error.code.rawValue)
            ]
        case .success(let names):
            return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { name in
                let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
                if Self.isDirectory(path, followingLinks: false) {
                    return images(in: path, below: relative.isEmpty ? name : "\(relative)/\(name)")
                }
                guard InputName(path).format != nil, !Self.isDirectory(path) else { return [] }
                return [BatchInput(source: SourceArgument(argument: path), directory: relative)]
            }
        }
    }

    static func isDirectory(_ path: String, followingLinks: Bool = true) -> Bool {
        var facts = stat()
        let status = followingLinks ? stat(path, &facts) : lstat(path, &facts)
        return status == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the names in a directory (readdir(3)), in no order.
    private static func names(in directory: String) -> Result<[String], POSIXError> {
        guard let stream = opendir(directory) else { return .failure(SystemError.last) }
        defer { closedir(stream) }
        var names: [String] = []
        // Both the end and an error are `nil`; only an error sets the number.
        errno = 0
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
            errno = 0
        }
        return errno == 0 ? .success(names) : .failure(SystemError.last)
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
            // `-` stands for standard input.
            .map { $0 == "-" ? "./-" : $0 }
    }
}

extension SystemError {
    /// The error of the last system call on this thread.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
