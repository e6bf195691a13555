import ArgumentParser
import Foundation
import Tintype

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
        // Checks the scheme first, so that the URLs of a long list need not be parsed to find out that they name no
        // file.
        guard text.utf8.starts(with: "file:".utf8, by: { $0 | 0x20 == $1 }), let url = URL(string: text), url.isFileURL
        else { return nil }
        return url.path(percentEncoded: false)
    }

    /// - Throws: `TintypeError.Code.invalidSource`.
    func source() throws(TintypeError) -> ImageSource {
        guard hasScheme else {
            guard !text.isEmpty else {
                throw TintypeError(.invalidSource, stage: .request, "expected a URL or a path", subject: "''")
            }
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
