package import Foundation
import TintypeCore

extension ImageURLParser {
    /// Explains a URL, line by line, for its developer. Reads on after an error as far as that makes sense.
    ///
    /// - Parameters:
    ///   - url: An absolute URL, or the target of a request.
    ///   - now: The time that is compared with the expiry.
    package func explanation(of url: String, now: Date) -> [String] {
        do {
            let signed = try SignedPath(target: url, prefix: prefix)
            return explanation(ofSignatureOf: signed) + explanation(ofPathOf: signed, now: now)
        } catch {
            return [Self.line(error)]
        }
    }

    private func explanation(ofSignatureOf signed: SignedPath) -> [String] {
        let path = ["signed text: \(signed.signedText)"]
        do {
            switch try signatures.verify(signed) {
            case .unsigned: return path + ["signature: \(signed.signature), not verified, because there is no key"]
            case .trusted: return path + ["signature: a trusted one"]
            case .key(let index):
                return path + ["signature: valid, by key \(index + 1) of \(signatures.keys.count)"]
            }
        } catch {
            return path + [Self.line(error)]
        }
    }

    private func explanation(ofPathOf signed: SignedPath, now: Date) -> [String] {
        var lines: [String] = []
        do {
            var (parsed, segments) = try options.parse(signed.path.parts(separatedBy: "/"))
            lines += parsed.presets.map { "preset: \($0)" } + parsed.warnings.map { "warning: \($0)" }
            let reference = try SourceReference(segments: segments, hasFileName: sourceRules.hasFileName)
            if let fileExtension = reference.fileExtension {
                try options.apply(fileExtension: fileExtension, to: &parsed)
            }
            lines += Self.lines(parsed.options, now: now)
            let source = try source(named: reference.url)
            lines.append("source: \(source.text)")
            if source.text != reference.url { lines.append("source as written: \(reference.url)") }
            lines.append("key: \(parsed.options.canonical)")
        } catch {
            lines.append(Self.line(error))
        }
        return lines
    }

    private static func lines(_ options: ProcessingOptions, now: Date) -> [String] {
        var lines = options.canonical.parts(separatedBy: "/").filter { !$0.isEmpty }.map { segment in
            let (name, arguments) = segment.cut(at: ":") ?? (segment, "")
            return "option: \(OptionTable.fullName(of: name) ?? name) = \(arguments)"
        }
        lines.append("format: \(options.output.format?.rawValue ?? "chosen by the server")")
        if let expires = options.expires, expires > 0 {
            let seconds = Double(expires) - now.timeIntervalSince1970
            lines.append("expires: \(seconds < 0 ? "expired" : "in \(Int(min(seconds, 1e15))) seconds")")
        }
        if !options.fileName.isEmpty { lines.append("file name: \(options.fileName)") }
        if !options.fallbackURL.isEmpty { lines.append("fallback image: \(options.fallbackURL)") }
        return lines
    }

    private static func line(_ error: ImageURLError) -> String { "error \(error.status): \(error.detail)" }
}
