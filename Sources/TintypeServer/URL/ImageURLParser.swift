package import Foundation

/// An image URL that may be served.
package struct ImageURL: Hashable, Sendable {
    /// The signature and the path under it.
    package let signed: SignedPath
    /// How the signature was accepted.
    package let acceptance: SignaturePolicy.Acceptance
    /// The options, presets included.
    package let options: ProcessingOptions
    /// The names of the presets that were applied.
    package let presets: [String]
    /// The source, after replacements.
    package let source: SourceURL
    /// What was wrong without being an error, for a log.
    package let warnings: [String]
}

/// Reads image URLs: the whole way from the request target to a source that may be loaded.
package struct ImageURLParser: Sendable {
    /// The path under which image URLs are served; empty for the root.
    package var prefix = ""
    /// Which signatures are accepted.
    package var signatures = SignaturePolicy()
    /// Reads the options.
    package var options: OptionsParser
    /// How the URL of a source is made.
    package var sourceRules = SourceRules()
    /// The sources that may be loaded.
    package var allowedSources = SourceAllowList.everything

    /// Creates a parser that accepts every signature and every source.
    package init(options: OptionsParser) { self.options = options }

    /// Reads the raw target of a request.
    ///
    /// - Parameters:
    ///   - target: The target as it was sent: not decoded, with the query.
    ///   - hints: What the client says about its display.
    ///   - now: The time that is compared with the expiry.
    package func parse(
        target: String, hints: DisplayHints = DisplayHints(), now: Date
    ) throws(ImageURLError) -> ImageURL {
        let signed = try SignedPath(target: target, prefix: prefix)
        // First, so that nothing about the configuration can be learned without a signature.
        let acceptance = try signatures.verify(signed)
        var (parsed, segments) = try options.parse(signed.path.parts(separatedBy: "/"), hints: hints)
        let reference = try SourceReference(segments: segments, hasFileName: sourceRules.hasFileName)
        if let fileExtension = reference.fileExtension { try options.apply(fileExtension: fileExtension, to: &parsed) }
        if let expires = parsed.options.expires, expires > 0, Double(expires) < now.timeIntervalSince1970 {
            throw ImageURLError(.expired, "the URL expired at \(expires) seconds since 1970")
        }
        return ImageURL(
            signed: signed, acceptance: acceptance, options: parsed.options, presets: parsed.presets,
            source: try source(named: reference.url), warnings: parsed.warnings)
    }

    /// Returns the source that a URL names, directly or in the options `watermark_url` and `fallback_image_url`.
    ///
    /// - Throws: ``ImageURLError/Kind/source`` if it is malformed, or not allowed.
    package func source(named url: String) throws(ImageURLError) -> SourceURL {
        let source = try SourceURL(sourceRules.resolved(url))
        guard allowedSources.allows(source) else {
            throw ImageURLError(.source, "the operator does not allow the source \(source.scheme)://\(source.host)")
        }
        return source
    }
}
