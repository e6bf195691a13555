import Foundation
import TintypeCore

extension ImageURLParser {
    /// Creates the parser that settings describe.
    ///
    /// - Throws: A line that says which preset or rule is wrong.
    init(_ settings: ServerSettings) throws(ServerStartError) {
        var options = OptionsParser.Configuration()
        options.presets = settings.output.presets
        options.isPresetsOnly = settings.output.onlyPresets
        options.allowedOptions = settings.limits.allowedOptions
        options.argumentSeparator = settings.limits.argumentSeparator
        options.allowsLimits = settings.limits.allowsSecurityOptions
        options.defaults = ProcessingOptions(settings.output)
        do throws(ImageURLError) {
            self.init(options: try OptionsParser(options))
            prefix = settings.listening.pathPrefix
            signatures = SignaturePolicy(settings.signing)
            sourceRules.baseURL = settings.sources.baseURL
            sourceRules.replacements = settings.sources.urlReplacements.compactMap { URLReplacement(rule: $0) }
            sourceRules.hasFileName = settings.sources.hasFileName
            // An unsigned server without rules would load any URL for anyone.
            if !settings.sources.allowed.isEmpty || settings.signing.isUnsigned {
                allowedSources = try SourceAllowList(settings.sources.allowed)
            }
        } catch {
            throw ServerStartError(message: error.detail)
        }
    }
}

extension SignaturePolicy {
    /// Creates the policy that settings describe.
    init(_ signing: ServerSettings.Signing) {
        let pairs = zip(signing.keys.revealed, signing.salts.revealed)
        self.init(
            keys: pairs.map { SigningKey(key: $0, salt: $1) }, size: signing.signatureSize,
            trusted: signing.trustedSignatures.revealed)
    }
}

extension ProcessingOptions {
    /// Creates the options of a URL without any, as settings describe them.
    init(_ output: ServerSettings.Output) {
        self.init()
        self.output.defaultQuality = output.quality
        self.output.formatQuality = Dictionary(
            output.formatQuality.compactMap { name, quality in ImageFormat(fileExtension: name).map { ($0, quality) } },
            uniquingKeysWith: { $1 })
        self.output.stripsMetadata = output.stripsMetadata
        self.output.keepsCopyright = output.keepsCopyright
        self.output.preservesHDR = output.preservesHDR
        autoRotates = output.rotates
        isAttachment = output.returnsAttachment
    }
}
