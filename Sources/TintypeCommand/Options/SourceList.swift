import ArgumentParser
import Foundation
import Tintype

/// A list of sources in a file.
struct ListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read sources from this file, one per line; - is standard input. Lines that start with # are ignored.",
            valueName: "file"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var from: PathArgument?

    /// Returns the arguments, followed by the sources of the list.
    ///
    /// - Throws: `TintypeError.Code.notFound`, `TintypeError.Code.unreadable` or
    ///   `TintypeError.Code.limitExceeded`.
    func appended(to arguments: [SourceArgument]) throws(TintypeError) -> [SourceArgument] {
        guard let from else { return arguments }
        return arguments + (try SourceList.read(from.path))
    }

    /// - Throws: `ValidationError` if there is neither an argument nor a list.
    func validate(_ arguments: [SourceArgument], expecting noun: String) throws {
        guard arguments.isEmpty, from == nil else { return }
        throw ValidationError("no \(noun) given; name at least one, or a list of them with --from")
    }
}

/// A list of sources, one per line, in UTF-8.
enum SourceList {
    /// - Parameter name: The path of a file, pipe or device; `-` for standard input.
    /// - Throws: `TintypeError.Code.notFound`; `TintypeError.Code.unreadable`, also for a line that is not UTF-8,
    ///   because its repaired form would name another file; `TintypeError.Code.limitExceeded`.
    static func read(_ name: String) throws(TintypeError) -> [SourceArgument] {
        do throws(TintypeError) {
            return try parse(try bytes(name))
        } catch {
            throw error.about(name == "-" ? "standard input" : name)
        }
    }

    /// Parses a list, without blank lines and lines that start with `#`. Bytes are compared, because a list may have a
    /// million lines.
    ///
    /// - Throws: `TintypeError.Code.unreadable` for a line that is not UTF-8.
    static func parse(_ data: Data) throws(TintypeError) -> [SourceArgument] {
        let start = data.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        guard let text = String(validating: data.dropFirst(start), as: UTF8.self) else {
            let number = invalidLine(data)
            throw TintypeError(.unreadable, stage: .load, "line \(number) is not valid UTF-8")
        }
        return text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { line in
            let line = line.drop(while: isBlank)
            guard line.first != UInt8(ascii: "#"), let end = line.lastIndex(where: { !isBlank($0) }) else { return nil }
            return SourceArgument(argument: String(Substring(line[...end])))
        }
    }

    /// U+FEFF, with which some editors begin a file.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Returns the number of the first line that is not UTF-8, from 1.
    private static func invalidLine(_ data: Data) -> Int {
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return 1 + (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0)
    }

    /// The maximum size of a list in bytes: a million long URLs.
    private static let maximumByteCount = 256 << 20

    /// A list may be a pipe, as `<(…)` of a shell is.
    private static func bytes(_ name: String) throws(TintypeError) -> Data {
        let content = "a list of sources"
        if name == "-" { return try StandardInput.read(atMost: maximumByteCount, content) }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code: TintypeError.Code = errno == ENOENT || errno == ENOTDIR ? .notFound : .unreadable
            throw TintypeError(code, stage: .load, SystemError.description(errno), subject: name)
        }
        defer { close(descriptor) }
        var facts = stat()
        if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > maximumByteCount {
            throw TintypeError(
                .limitExceeded, stage: .load, "\(content) with more than \(maximumByteCount) bytes", subject: name)
        }
        let input = InputStreamBytes(descriptor: descriptor, name: name)
        return try input.read(atMost: maximumByteCount, content, until: .none)
    }
}
