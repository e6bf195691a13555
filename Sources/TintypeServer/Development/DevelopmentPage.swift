import Foundation
import TintypeHTTP

/// The page at `/` in development: it loads an image with options, and shows the result with its size, time and tier.
///
/// It comes from this server alone, under a policy that allows nothing else. It does not sign URLs on the server,
/// because then everybody who reaches the server could have them signed: the browser does, with a key that the user
/// enters.
package struct DevelopmentPage: Sendable {
    /// What a page may do: load its own script and style, and images of this server.
    static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private let html: String

    /// - Parameters:
    ///   - isSigned: Whether the server refuses URLs without a signature.
    ///   - pathPrefix: The beginning of the paths of images.
    ///   - presets: The names of presets.
    init(isSigned: Bool, pathPrefix: String, presets: [String]) {
        let options = presets.sorted().map { "<option value=\"preset:\(Self.escaped($0))\">" }.joined()
        html = Self.text(PackageResources.page_html)
            .replacingOccurrences(of: "{signed}", with: isSigned ? "true" : "false")
            .replacingOccurrences(of: "{prefix}", with: Self.escaped(pathPrefix))
            .replacingOccurrences(of: "{presets}", with: options)
    }

    /// Creates the page that settings describe; `nil` unless the server is for development.
    package init?(_ settings: ServerSettings) {
        guard settings.observing.isDevelopment else { return nil }
        self.init(
            isSigned: !settings.signing.keys.revealed.isEmpty, pathPrefix: settings.listening.pathPrefix,
            presets: settings.output.presets.map { String($0.prefix { $0 != "=" }) })
    }

    /// Returns the page or one of its files; `nil` for any other path.
    func response(to target: Substring) -> ServerResponse? {
        switch target {
        case "/": Self.response("text/html; charset=utf-8", html)
        case "/development.css": Self.response("text/css; charset=utf-8", Self.text(PackageResources.page_css))
        case "/development.js": Self.response("text/javascript; charset=utf-8", Self.text(PackageResources.page_js))
        case "/development.svg": Self.response("image/svg+xml", Self.text(PackageResources.page_svg))
        default: nil
        }
    }

    private static func response(_ contentType: String, _ text: String) -> ServerResponse {
        var response = ServerResponse.report(contentType: contentType, text)
        response.fields["Content-Security-Policy"] = contentSecurityPolicy
        response.fields["Referrer-Policy"] = "no-referrer"
        return response
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
