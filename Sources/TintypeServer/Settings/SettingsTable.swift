/// All settings of the server. The parser of the environment and the documentation are made of this table.
package enum SettingsTable {
    /// The settings of one topic.
    package struct Section: Sendable {
        /// The title in the documentation.
        package let title: String
        /// The settings, in the order of the documentation.
        package let settings: [Setting]
    }

    /// The topics, in the order of the documentation.
    package static let sections = [
        Section(title: "Listening", settings: listening), Section(title: "Signatures", settings: signing),
        Section(title: "Limits", settings: limits), Section(title: "Sources", settings: sources),
        Section(title: "Output", settings: output), Section(title: "Negotiation", settings: negotiation),
        Section(title: "Caching", settings: caching), Section(title: "Operations", settings: observing),
    ]

    /// All settings.
    package static let all = sections.flatMap(\.settings)

    /// Returns the table of settings in Markdown.
    package static var markdown: String {
        sections.map { section in
            let rows = section.settings.map { setting in
                let names = (["`\(setting.name)`"] + (setting.alias.map { ["`\($0)`"] } ?? [])).joined(
                    separator: "<br>")
                let standard = setting.standard.isEmpty ? "" : "`\(setting.standard)`"
                let help = setting.help + (setting.fileName.map { " Secret; `\($0)` may name a file with it." } ?? "")
                return "| \(names) | \(cell(setting.expected)) | \(cell(standard)) | \(cell(help)) |"
            }
            return """
                ### \(section.title)

                | variable, and that of imgproxy | value | default | meaning |
                | --- | --- | --- | --- |
                \(rows.joined(separator: "\n"))

                """
        }.joined(separator: "\n")
    }

    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}

extension SettingsTable {
    private static let listening: [Setting] = [
        .value(
            "BIND", alias: "BIND", \.listening.bind, expected: bindForm, help: "Where the server listens.",
            parse: BindAddress.init, text: \.description),
        optionalBind("METRICS_BIND", alias: "PROMETHEUS_BIND", \.listening.metricsBind, "Where metrics are served."),
        optionalBind("ADMIN_BIND", \.listening.adminBind, "Where purges are accepted."),
        secret("ADMIN_TOKEN", \.listening.adminToken, help: "The bearer token of purges."),
        secret(
            "SECRET", alias: "SECRET", \.listening.bearerToken,
            help: "A bearer token that every request for an image must have."),
        .value(
            "PATH_PREFIX", alias: "PATH_PREFIX", \.listening.pathPrefix, expected: "a path such as /images, or nothing",
            help: "The beginning of the path of every image.",
            parse: { $0.isEmpty || isPath($0) && !$0.hasSuffix("/") ? $0 : nil }, text: { $0 }),
        .list(
            "ALLOW_ORIGIN", alias: "ALLOW_ORIGIN", \.listening.allowedOrigins,
            expected: "origins such as https://example.org, divided by commas, or *",
            help: "The web origins that may read responses (CORS).", isValid: isOrigin),
        .text(
            "TLS_CERTIFICATE", \.listening.certificateFile, expected: "an absolute path",
            help: "A PEM file with the certificate chain. With it, the server speaks HTTPS and HTTP/2.", isValid: isPath
        ),
        .text(
            "TLS_KEY", \.listening.privateKeyFile, expected: "an absolute path",
            help: "A PEM file with the private key.", isValid: isPath),
        .integer(
            "MAX_CLIENTS", alias: "MAX_CLIENTS", \.listening.maximumConnections, in: 1...1_000_000,
            help: "The number of connections at once."),
        .seconds(
            "KEEP_ALIVE_TIMEOUT", alias: "KEEP_ALIVE_TIMEOUT", \.listening.keepAliveTimeout,
            help: "How long an idle connection stays open, in seconds. Longer than that of a load balancer in front."),
        .seconds(
            "READ_TIMEOUT", alias: "READ_REQUEST_TIMEOUT", \.listening.readTimeout,
            help: "The time in which a request must arrive, in seconds."),
        .seconds(
            "WRITE_TIMEOUT", alias: "WRITE_RESPONSE_TIMEOUT", \.listening.writeTimeout,
            help: "How long a client may read nothing of a response, in seconds."),
        .list(
            "TRUSTED_PROXIES", \.listening.trustedProxies,
            expected: "addresses, networks such as 10.0.0.0/8, or unix, divided by commas",
            help: "The proxies whose X-Forwarded-For or Forwarded names the client. None by default.",
            isValid: { TrustedProxies([$0]) != nil }),
        .seconds(
            "TIMEOUT", alias: "TIMEOUT", \.listening.requestTimeout,
            help: "The time of a whole request, in seconds."),
        .seconds(
            "GRACE_PERIOD", alias: "GRACEFUL_STOP_TIMEOUT", \.listening.gracePeriod,
            help: "The time for running requests when the server stops, in seconds."),
    ]

    private static let signing: [Setting] = [
        .value(
            "KEY", alias: "KEY", \.signing.keys, expected: hexadecimalForm, isSecret: true,
            help: "The keys of signatures. Any of them is accepted.",
            parse: { SettingText.hexadecimalList($0).map { Secret($0) } }, text: \.description),
        .value(
            "SALT", alias: "SALT", \.signing.salts, expected: hexadecimalForm, isSecret: true,
            help: "The salts of signatures, one for each key.",
            parse: { SettingText.hexadecimalList($0).map { Secret($0) } }, text: \.description),
        .integer(
            "SIGNATURE_SIZE", alias: "SIGNATURE_SIZE", \.signing.signatureSize, in: 1...32,
            help: "The number of bytes of a signature."),
        .value(
            "TRUSTED_SIGNATURES", alias: "TRUSTED_SIGNATURES", \.signing.trustedSignatures,
            expected: "signatures, divided by commas", isSecret: true, help: "Signatures that are accepted unchecked.",
            parse: { Secret(SettingText.elements($0)) }, text: \.description),
        .flag(
            "UNSIGNED", \.signing.isUnsigned,
            help:
                "Accept URLs without a signature. The server then listens on the loopback address, unless one is named."
        ),
    ]

    private static let bindForm = "an address such as :8080, 127.0.0.1:8080, [::1]:8080 or unix:/run/tintype.sock"
    private static let hexadecimalForm = "byte strings in hexadecimal, divided by commas"

    private static func optionalBind(
        _ name: String, alias: String? = nil, _ path: Setting.Path<BindAddress?>, _ help: String
    ) -> Setting {
        .value(
            name, alias: alias, path, expected: bindForm, help: "\(help) Nowhere by default.",
            parse: { BindAddress($0).map { .some($0) } }, text: { $0?.description ?? "" })
    }

    /// A secret text of at least 8 characters.
    static func secret(
        _ name: String, alias: String? = nil, _ path: Setting.Path<Secret<String?>>,
        expected: String = "at least 8 visible ASCII characters", help: String,
        isValid: @escaping @Sendable (String) -> Bool = { $0.utf8.count >= 8 && isVisible($0) }
    ) -> Setting {
        .value(
            name, alias: alias, path, expected: expected, isSecret: true, help: help,
            parse: { isValid($0) ? Secret($0) : nil }, text: \.description)
    }

    static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.count <= 4096 && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    private static func isOrigin(_ text: String) -> Bool {
        if text == "*" { return true }
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let host = text.dropFirst(scheme.count)
        return !host.isEmpty && isVisible(text) && !host.contains("/")
    }
}
