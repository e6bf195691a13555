package import Foundation

/// What a developer does with image URLs: sign, verify and explain them, with the settings of the server.
package struct ImageURLTool: Sendable {
    private var parser: ImageURLParser
    private let signatureSize: Int

    /// Reads the settings of an environment. Variables that are no settings of the server are ignored, and keys are not
    /// required.
    ///
    /// - Throws: ``SettingsErrors``, or a description of a preset or rule that is wrong.
    package init(
        environment: [String: String], readFile: @escaping @Sendable (String) -> String?
    ) throws {
        let names = SettingsTable.all.flatMap { [$0.name, $0.fileName, $0.alias].compactMap(\.self) }
        var known = environment.filter { names.contains($0.key) }
        let keys = ["TINTYPE_KEY", "TINTYPE_KEY_FILE", "IMGPROXY_KEY"]
        let hasSettings = keys.contains { known[$0] != nil } || known["TINTYPE_UNSIGNED"] != nil
        if !hasSettings { known["TINTYPE_UNSIGNED"] = "true" }
        let settings = try SettingsParser(environment: known, readFile: readFile).parse().settings
        parser = try ImageURLParser(settings)
        // A URL is also explained where there is no server with an allow-list.
        if !hasSettings, settings.sources.allowed.isEmpty { parser.allowedSources = .everything }
        signatureSize = settings.signing.signatureSize
    }

    /// Whether there is a key to sign with.
    package var hasKey: Bool { !parser.signatures.keys.isEmpty }

    /// Returns the path of an image, with its signature by the first key.
    package func signedPath(_ image: ImageURLBuilder) -> String {
        parser.prefix + image.signedPath(key: parser.signatures.keys.first, size: signatureSize)
    }

    /// Returns what is wrong with a URL; `nil` for one that the server would serve.
    package func problem(of url: String, now: Date = Date()) -> ImageURLError? {
        do throws(ImageURLError) {
            _ = try parser.parse(target: Self.target(of: url), now: now)
            return nil
        } catch {
            return error
        }
    }

    /// Explains a URL, line by line.
    package func explanation(of url: String, now: Date = Date()) -> [String] {
        parser.explanation(of: Self.target(of: url), now: now)
    }

    /// Returns the request target of an absolute URL, byte for byte. Anything else is a target already.
    private static func target(of url: String) -> String {
        guard let (scheme, rest) = url.cut(at: "://"), ["http", "https"].contains(scheme.lowercased()),
            let slash = rest.firstIndex(of: "/")
        else { return url }
        return String(rest[slash...])
    }
}
