import ArgumentParser
import Foundation
import Tintype

/// The images to load: URLs and paths, as arguments or in a list.
struct SourceOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("URLs, or paths of files.", valueName: "url"))
    var urls: [SourceArgument] = []

    @Option(
        help: ArgumentHelp(
            "Read URLs from this file, one per line; - is standard input. Lines that start with # are ignored.",
            valueName: "file"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var from: PathArgument?

    func validate() throws {
        guard !urls.isEmpty || from != nil else {
            throw ValidationError("no URL given; name at least one, or a list of them with --from")
        }
    }

    /// - Throws: ``TintypeError/Code/notFound`` or ``TintypeError/Code/unreadable`` if the list cannot be read.
    func all() throws(TintypeError) -> [SourceArgument] {
        guard let from else { return urls }
        return urls + (try URLList.read(from.path))
    }
}

/// A list of URLs, one per line.
enum URLList {
    /// - Parameter name: The path of a file, or `-` for standard input.
    /// - Throws: ``TintypeError/Code/notFound`` or ``TintypeError/Code/unreadable``.
    static func read(_ name: String) throws(TintypeError) -> [SourceArgument] {
        parse(String(decoding: try bytes(name), as: UTF8.self))
    }

    /// Parses a list, without blank lines and lines that start with `#`. Bytes are compared, because a list may have a
    /// million lines.
    static func parse(_ text: String) -> [SourceArgument] {
        text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { line in
            let line = line.drop(while: isBlank)
            guard line.first != UInt8(ascii: "#"), let end = line.lastIndex(where: { !isBlank($0) }) else { return nil }
            return SourceArgument(argument: String(Substring(line[...end])))
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// The maximum size of a list in bytes: a million long URLs.
    private static let maximumByteCount = 256 << 20

    private static func bytes(_ name: String) throws(TintypeError) -> Data {
        if name == "-" { return try StandardInput.read(atMost: maximumByteCount, "a list of URLs") }
        let file = try LocalFile(reading: name)
        guard file.byteCount <= maximumByteCount else {
            throw TintypeError(
                .limitExceeded, stage: .load, "a list of URLs with more than \(maximumByteCount) bytes", subject: name)
        }
        return try file.read(file.byteCount, from: 0)
    }
}

/// A URL, or the path of a file.
struct SourceArgument: ExpressibleByArgument, Hashable {
    /// The argument as it was written.
    let text: String

    init(argument: String) {
        text = argument
    }

    /// The path of a file or `file:` URL, or `nil` for any other URL.
    var path: String? {
        if !hasScheme { return text }
        guard let url = URL(string: text), url.isFileURL else { return nil }
        return url.path(percentEncoded: false)
    }

    /// - Throws: ``TintypeError/Code/invalidSource``.
    func source() throws(TintypeError) -> ImageSource {
        guard hasScheme else {
            guard !text.isEmpty else { throw TintypeError(.invalidSource, stage: .request, "an empty name") }
            return .file(text)
        }
        guard let url = URL(string: text) else {
            throw TintypeError(.invalidSource, stage: .request, "not a URL", subject: text)
        }
        return .url(url)
    }

    /// Whether the text starts with a scheme of at least two letters. RFC 3986, section 3.1 allows one letter, but then
    /// `C:\…` would be a URL.
    private var hasScheme: Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let scheme = text[..<colon].utf8
        return scheme.count >= 2 && text.first?.isLetter == true
            && scheme.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || "0123456789+-.".utf8.contains($0)
            }
    }
}

extension SourceArgument {
    /// Returns an argument as output names it: a URL without its user name and password.
    static func displayName(of text: String) -> String {
        guard text.contains("@"), let url = URL(string: text), url.user() != nil else { return text }
        return url.withoutCredential.absoluteString
    }
}
