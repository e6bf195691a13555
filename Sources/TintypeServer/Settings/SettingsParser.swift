/// One thing that is wrong with the environment of the server.
package struct SettingsError: Hashable, Sendable, CustomStringConvertible {
    /// The variable.
    package let name: String
    /// What is wrong, and what is expected.
    package let message: String

    /// One line with the variable and the message.
    package var description: String { "\(name): \(message)" }
}

/// Everything that is wrong with the environment of the server.
package struct SettingsErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errors, in the order of the settings.
    package let errors: [SettingsError]

    /// A line for each error.
    package var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Reads the settings from environment variables, and reports all errors at once.
package struct SettingsParser: Sendable {
    /// The environment variables.
    package var environment: [String: String]
    /// Returns the content of a file with a secret; `nil` if it cannot be read.
    package var readFile: @Sendable (String) -> String?

    /// The settings of an environment.
    package struct Result: Sendable {
        /// The settings.
        package let settings: ServerSettings
        /// What the operator should know, a line each.
        package let warnings: [String]
    }

    /// The longest value of a variable or a file, in bytes.
    static let maximumByteCount = 64 << 10

    /// Creates a parser.
    package init(environment: [String: String], readFile: @escaping @Sendable (String) -> String?) {
        self.environment = environment
        self.readFile = readFile
    }

    /// Returns the settings.
    ///
    /// - Throws: All errors: variables that are unknown, values that are invalid, and combinations that are.
    package func parse() throws(SettingsErrors) -> Result {
        var run = Run(parser: self)
        for setting in SettingsTable.all { run.read(setting) }
        run.findUnknownNames()
        if run.errors.isEmpty { run.checkCombinations() }
        guard run.errors.isEmpty else { throw SettingsErrors(errors: run.errors) }
        return Result(settings: run.settings, warnings: run.warnings)
    }

    /// The settings and the errors so far.
    private struct Run {
        let parser: SettingsParser
        var settings = ServerSettings()
        var errors: [SettingsError] = []
        var warnings: [String] = []

        private mutating func fail(_ name: String, _ message: String) {
            errors.append(SettingsError(name: name, message: message))
        }

        // MARK: One setting

        mutating func read(_ setting: Setting) {
            guard let (name, text) = text(of: setting) else { return }
            guard text.utf8.count <= SettingsParser.maximumByteCount else {
                return fail(name, "expected \(setting.expected), got \(text.utf8.count) bytes")
            }
            guard !setting.store(text, &settings) else { return }
            let got = setting.isSecret ? "another value, which is not shown" : "\"\(text.abbreviated)\""
            fail(name, "expected \(setting.expected), got \(got)")
        }

        /// Returns the text of a setting, and the variable that it is from. An empty variable counts as absent.
        private mutating func text(of setting: Setting) -> (name: String, text: String)? {
            let names = [setting.name, setting.fileName, setting.alias].compactMap { $0 }
            let present = names.filter { !(parser.environment[$0] ?? "").isEmpty }
            guard let name = present.first, let value = parser.environment[name] else { return nil }
            for other in present.dropFirst() where parser.environment[other] != value {
                warnings.append("\(other): ignored, because \(name) is set")
            }
            guard name == setting.fileName else { return (name, value) }
            guard let content = parser.readFile(value) else {
                fail(name, "expected a file that can be read, got \"\(value.abbreviated)\"")
                return nil
            }
            let text = SettingText.trimmed(content)
            guard !text.isEmpty else {
                fail(name, "expected a file with \(setting.expected), got an empty one")
                return nil
            }
            return (name, text)
        }

        // MARK: All settings

        /// A variable of this server that no setting has is an error, because a limit with a misspelt name would not
        /// hold.
        mutating func findUnknownNames() {
            var known = Set(SettingsTable.all.flatMap { [$0.name, $0.fileName, $0.alias].compactMap { $0 } })
            // The transport reads the path of libcurl.
            known.insert("TINTYPE_LIBCURL")
            for name in parser.environment.keys.sorted() where !known.contains(name) {
                if name.hasPrefix(Setting.prefix) {
                    fail(name.abbreviated, "expected a variable of the server, but there is none with this name")
                } else if name.hasPrefix(Setting.aliasPrefix) {
                    warnings.append("\(name.abbreviated): ignored, because the server does not have this setting")
                }
            }
        }

        mutating func checkCombinations() {
            checkSignatures()
            let listening = settings.listening
            if (listening.certificateFile == nil) != (listening.privateKeyFile == nil) {
                fail("TINTYPE_TLS_KEY", "expected together with TINTYPE_TLS_CERTIFICATE, got one of them")
            }
            if (listening.adminBind == nil) != (listening.adminToken.revealed == nil) {
                fail("TINTYPE_ADMIN_TOKEN", "expected together with TINTYPE_ADMIN_BIND, got one of them")
            }
            let binds = [settings.effectiveBind, listening.metricsBind, listening.adminBind].compactMap { $0 }
            if Set(binds).count < binds.count {
                fail("TINTYPE_BIND", "expected another address than those of metrics and purges, got the same")
            }
            if settings.output.isReverseProxy, settings.sources.allowed.isEmpty {
                fail("TINTYPE_REVERSE_PROXY", "expected together with TINTYPE_ALLOWED_SOURCES, got it alone")
            }
            let caching = settings.caching
            let minimum = max(caching.minimumLifetime, caching.minimumLifetimeByHost.values.max() ?? 0)
            if minimum > caching.maximumLifetime {
                fail("TINTYPE_MAX_TTL", "expected at least the minimum, \(minimum), got \(caching.maximumLifetime)")
            }
        }

        private mutating func checkSignatures() {
            let (keys, salts) = (settings.signing.keys.revealed.count, settings.signing.salts.revealed.count)
            if keys != salts { fail("TINTYPE_SALT", "expected a salt for each of \(keys) keys, got \(salts)") }
            if settings.signing.isUnsigned {
                guard keys == 0 else {
                    return fail("TINTYPE_UNSIGNED", "expected false because there are keys, got true")
                }
                warnings.append(
                    "TINTYPE_UNSIGNED: anyone who reaches \(settings.effectiveBind) may have images processed"
                        + (settings.sources.allowed.isEmpty
                            ? ", of sources that TINTYPE_ALLOWED_SOURCES names; none yet" : "")
                )
            } else if keys == 0, salts == 0 {
                fail(
                    "TINTYPE_KEY",
                    "expected a key and a salt in hexadecimal, or TINTYPE_UNSIGNED=true for URLs without a signature"
                )
            }
        }
    }
}

extension String {
    /// At most 100 characters, without control characters, for an error message.
    fileprivate var abbreviated: String {
        String(prefix(100).map { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? "?" : $0 })
            + (count > 100 ? "…" : "")
    }
}
