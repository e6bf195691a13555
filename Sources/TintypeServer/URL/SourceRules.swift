/// A rule that replaces the beginning of a source's URL.
package struct URLReplacement: Hashable, Sendable {
    private let pattern: WildcardPattern
    private let replacement: String

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - pattern: The beginning of a URL. Each `*` in it stands for any number of characters other than `/`.
    ///   - replacement: What is written in its place. `${1}` stands for what the first `*` matched.
    package init(pattern: String, replacement: String) {
        self.pattern = WildcardPattern(pattern)
        self.replacement = replacement
    }

    /// Creates a rule from `pattern=replacement`; `nil` if the text has no `=` or nothing before it.
    package init?(rule: String) {
        guard let (pattern, replacement) = rule.cut(at: "="), !pattern.isEmpty else { return nil }
        self.init(pattern: pattern, replacement: replacement)
    }

    func replaced(_ url: String) -> String {
        guard let (wildcards, rest) = pattern.matchPrefix(of: url) else { return url }
        let parts = replacement.parts(separatedBy: "${")
        return parts.dropFirst().reduce(parts[0]) { text, part in
            guard let (number, literal) = part.cut(at: "}"), let index = Int(number) else { return text + "${" + part }
            // ${0} is the whole match, as in regular expressions, but it could not be told from a typing error.
            return text + (wildcards.indices.contains(index - 1) ? wildcards[index - 1] : "") + literal
        } + rest
    }
}

/// How the URL of a source is made from what the image URL names.
package struct SourceRules: Hashable, Sendable {
    /// Rules that are applied one after the other.
    package var replacements: [URLReplacement]
    /// What is written before a URL that does not begin with it; empty for nothing.
    package var baseURL: String
    /// Whether the last segment of a source in base64 is a file name that only decorates it.
    package var hasFileName: Bool

    /// Creates rules.
    package init(replacements: [URLReplacement] = [], baseURL: String = "", hasFileName: Bool = false) {
        self.replacements = replacements
        self.baseURL = baseURL
        self.hasFileName = hasFileName
    }

    /// Returns the URL of the source, after the replacements and with the base URL.
    func resolved(_ url: String) -> String {
        let url = replacements.reduce(url) { $1.replaced($0) }
        return baseURL.isEmpty || url.utf8.starts(with: baseURL.utf8) ? url : baseURL + url
    }
}
