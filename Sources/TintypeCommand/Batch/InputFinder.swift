import Foundation
import Tintype

/// An image that a command works on, and where it was found.
struct BatchInput: Hashable, Sendable {
    /// Why something that was found is not an image.
    enum Problem: Hashable, Sendable {
        /// The source is a directory that cannot be listed, with this number of the error.
        case unlistable(Int32)
        /// The name of the file or directory is not UTF-8. The source is its escaped form, which may name another one.
        case notUTF8
    }

    let source: SourceArgument
    /// The directory of the input relative to the directory argument, without slashes at its ends; empty if the input
    /// is an argument itself.
    var directory = ""
    /// `nil` for an image.
    var problem: Problem?

    /// The source as output names it.
    var name: String { SourceArgument.displayName(of: source.text) }

    /// Whether this is a file that can be opened by its path.
    var isFile: Bool { !source.isStandardInput && source.path != nil && problem == nil }

    /// Why this is not an image, or `nil`.
    var failure: TintypeError? {
        switch problem {
        case nil: nil
        case .unlistable(let number): unreadable("cannot list the directory: \(SystemError.description(number))")
        case .notUTF8: unreadable("the name is not valid UTF-8")
        }
    }

    private func unreadable(_ reason: String) -> TintypeError {
        TintypeError(.unreadable, stage: .load, reason, subject: name)
    }
}

extension [BatchInput] {
    /// The inputs without duplicates. Inputs with a problem all stay: their sources may be the escaped form of
    /// different names, or the name of an image.
    var distinct: [BatchInput] {
        var seen: Set<SourceArgument> = []
        return filter { $0.problem != nil || seen.insert($0.source).inserted }
    }
}

/// Finds the images that arguments name: files and URLs, files in directories, and files that match a pattern.
///
/// A directory that cannot be listed is an input with a failure, so that it does not stop the other ones, and so is a
/// file or directory whose name is not UTF-8.
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
        guard Self.isPattern(argument) else { return [BatchInput(source: argument)] }
        let inputs = Self.matches(path).flatMap { match in
            isRecursive && match.isUTF8 && Self.isDirectory(match.text)
                ? images(in: match.text, below: "") : [match.input()]
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
                    source: SourceArgument(argument: directory), directory: relative,
                    problem: .unlistable(error.code.rawValue))
            ]
        case .success(let names):
            return names.filter { !$0.text.hasPrefix(".") }.sorted { $0.text < $1.text }.flatMap { name in
                images(SystemPath(below: directory, name), name.text, relative)
            }
        }
    }

    /// Returns the images of one entry of a directory: those below it, the file itself, or none.
    private func images(_ path: SystemPath, _ name: String, _ relative: String) -> [BatchInput] {
        if path.isUTF8, Self.isDirectory(path.text, followingLinks: false) {
            return images(in: path.text, below: relative.isEmpty ? name : "\(relative)/\(name)")
        }
        let isImage = InputName(path.text).format != nil && !(path.isUTF8 && Self.isDirectory(path.text))
        return isImage || path.isUnnamedDirectory ? [path.input(below: relative)] : []
    }

    static func isDirectory(_ path: String, followingLinks: Bool = true) -> Bool {
        var facts = stat()
        let status = followingLinks ? stat(path, &facts) : lstat(path, &facts)
        return status == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the names in a directory (readdir(3)), in no order.
    private static func names(in directory: String) -> Result<[SystemPath], POSIXError> {
        guard let stream = opendir(directory) else { return .failure(SystemError.last) }
        defer { closedir(stream) }
        var names: [SystemPath] = []
        // Both the end and an error are `nil`; only an error sets the number.
        errno = 0
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { SystemPath($0, in: dirfd(stream)) }
                })
            errno = 0
        }
        return errno == 0 ? .success(names) : .failure(SystemError.last)
    }

    /// Whether a path contains characters that a shell expands, and is not that of a file.
    static func isPattern(_ argument: SourceArgument) -> Bool {
        guard let path = argument.path else { return false }
        return path.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[") }
            && access(path, F_OK) != 0
    }

    /// Returns the paths that match a pattern (glob(3)), in the order of their names.
    private static func matches(_ pattern: String) -> [SystemPath] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(pattern, 0, nil, &result) == 0, let paths = result.gl_pathv else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { paths[$0].map { SystemPath($0) } }
    }
}

/// The name or path of a file as the system states it: bytes that need not be UTF-8.
private struct SystemPath {
    /// The name; if it is not UTF-8, with escapes for its bytes.
    let text: String
    let isUTF8: Bool
    /// Whether it is the name of a directory that is not UTF-8, so that no path leads to it.
    let isUnnamedDirectory: Bool

    /// - Parameter directory: The open directory with the file.
    init(_ bytes: UnsafePointer<CChar>, in directory: Int32 = AT_FDCWD) {
        let exact = String(validatingCString: bytes)
        (text, isUTF8) = (exact ?? String(escapingCString: bytes), exact != nil)
        var facts = stat()
        isUnnamedDirectory =
            exact == nil && fstatat(directory, bytes, &facts, AT_SYMLINK_NOFOLLOW) == 0
            && facts.st_mode & S_IFMT == S_IFDIR
    }

    init(below directory: String, _ name: SystemPath) {
        text = directory.hasSuffix("/") ? directory + name.text : "\(directory)/\(name.text)"
        (isUTF8, isUnnamedDirectory) = (name.isUTF8, name.isUnnamedDirectory)
    }

    /// The file as an input.
    func input(below directory: String = "") -> BatchInput {
        // `-` stands for standard input.
        let source = SourceArgument(argument: text == "-" ? "./-" : text)
        return BatchInput(source: source, directory: directory, problem: isUTF8 ? nil : .notUTF8)
    }
}

extension SystemError {
    /// The error of the last system call on this thread.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
