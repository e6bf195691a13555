import ArgumentParser
import Foundation
import Tintype

/// What a user names to be loaded: a URL, or the path of a file.
struct SourceArgument: ExpressibleByArgument, Hashable {
    /// As it was given.
    let text: String

    init(argument: String) {
        text = argument
    }

    /// The path, where it is one; also of a `file:` URL.
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

    /// A scheme has two letters at least (RFC 3986, 3.1 allows one), so that `C:\…` is a path.
    private var hasScheme: Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let scheme = text[..<colon].utf8
        return scheme.count >= 2 && text.first?.isLetter == true
            && scheme.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || "0123456789+-.".utf8.contains($0)
            }
    }
}
