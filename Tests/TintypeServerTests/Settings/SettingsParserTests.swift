import Testing

@testable import TintypeServer

@Suite struct SettingsParserTests {
    private static let signed = ["TINTYPE_KEY": "736563726574", "TINTYPE_SALT": "68656C6C6F"]

    private static func parse(
        _ environment: [String: String], signed: Bool = true, files: [String: String] = [:]
    ) throws(SettingsErrors) -> SettingsParser.Result {
        let all = environment.merging(signed ? Self.signed : [:]) { own, _ in own }
        return try SettingsParser(environment: all) { files[$0] }.parse()
    }

    private static func errors(_ environment: [String: String], signed: Bool = true) -> [String] {
        do throws(SettingsErrors) {
            _ = try parse(environment, signed: signed)
            return []
        } catch { return error.errors.map(\.description) }
    }

    @Test func aServerWithoutAKeyDoesNotStart() {
        #expect(Self.errors([:], signed: false).map { $0.hasPrefix("TINTYPE_KEY: expected a key") } == [true])
        #expect(Self.errors(["TINTYPE_UNSIGNED": "true"], signed: false) == [])
        #expect(Self.errors(["TINTYPE_UNSIGNED": "true"]).count == 1)
        #expect(Self.errors(["TINTYPE_KEY": "00", "TINTYPE_SALT": "00,01"]).count == 1)
        #expect(Self.errors(["TINTYPE_KEY": "00"], signed: false).count == 1)
    }

    @Test(
        arguments: [
            (nil, "127.0.0.1:8080"), (":9000", "127.0.0.1:9000"), ("0.0.0.0:9000", "0.0.0.0:9000"),
            ("[::]:80", "[::]:80"), ("unix:/run/t.sock", "unix:/run/t.sock"),
        ] as [(String?, String)])
    func anUnsignedServerListensOnLoopbackUnlessAnAddressIsNamed(_ bind: String?, _ expected: String) throws {
        var environment = ["TINTYPE_UNSIGNED": "1"]
        environment["TINTYPE_BIND"] = bind
        let result = try Self.parse(environment, signed: false)
        #expect(result.settings.effectiveBind.description == expected)
        #expect(result.warnings.count == 1 && result.warnings.allSatisfy { $0.contains(expected) })
    }

    @Test func aSignedServerListensOnAllAddresses() throws {
        #expect(try Self.parse([:]).settings.effectiveBind == .tcp(host: nil, port: 8080))
    }

    /// The limits that bound what a request may cost.
    @Test func theDefaultsAreFinite() throws {
        let settings = try Self.parse([:]).settings
        #expect(settings.limits.sourceMegapixels == 50 && settings.limits.sourceBytes == 64 << 20)
        #expect(settings.limits.frames == 1 && settings.limits.resultSide == 8192)
        #expect(settings.sources.maximumRedirects == 5 && settings.sources.downloadTimeout == .seconds(10))
        #expect(settings.sources.stallTimeout == .seconds(5) && settings.listening.requestTimeout == .seconds(20))
        #expect(settings.listening.keepAliveTimeout == .seconds(75) && settings.listening.maximumConnections == 2048)
        #expect(
            settings.admissionLimits(cores: 8, memory: 4 << 30) == AdmissionLimits(workers: 8, decodedBytes: 1 << 30))
        #expect(settings.admissionLimits(cores: 8, memory: 1).queueLength == 32)
        #expect(settings.negotiation == NegotiationSettings() && settings.crossOrigin == .none)
        #expect(settings.cacheLimits == HostCacheLimits())
    }

    @Test func allErrorsAreReportedAtOnceWithTheirVariables() {
        let errors = Self.errors([
            "TINTYPE_WORKERS": "many", "IMGPROXY_TIMEOUT": "-1", "TINTYPE_BIND": "8080", "TINTYPE_KEY": "xyz",
            "TINTYPE_WROKERS": "4", "TINTYPE_AUTO_WEBP": "yes",
        ])
        #expect(
            errors == [
                "TINTYPE_BIND: expected an address such as :8080, 127.0.0.1:8080, [::1]:8080 or "
                    + "unix:/run/tintype.sock, got \"8080\"",
                "IMGPROXY_TIMEOUT: expected a number of seconds from 0.001 to 86400, got \"-1\"",
                "TINTYPE_KEY: expected byte strings in hexadecimal, divided by commas, got another value, which is not "
                    + "shown",
                "TINTYPE_WORKERS: expected an integer from 0 to 4096, got \"many\"",
                "TINTYPE_AUTO_WEBP: expected true or false, got \"yes\"",
                "TINTYPE_WROKERS: expected a variable of the server, but there is none with this name",
            ])
    }

    @Test(arguments: [
        (["TINTYPE_TLS_KEY": "/k"], "TINTYPE_TLS_KEY"), (["TINTYPE_ADMIN_BIND": ":1"], "TINTYPE_ADMIN_TOKEN"),
        (["TINTYPE_MIN_TTL": "60", "TINTYPE_MAX_TTL": "59"], "TINTYPE_MAX_TTL"),
        (["TINTYPE_MIN_TTL_BY_HOST": "a=60", "TINTYPE_MAX_TTL": "59"], "TINTYPE_MAX_TTL"),
        (["TINTYPE_REVERSE_PROXY": "true"], "TINTYPE_REVERSE_PROXY"),
        (["TINTYPE_METRICS_BIND": ":8080"], "TINTYPE_BIND"),
    ])
    func combinationsAreChecked(_ environment: [String: String], _ name: String) {
        #expect(Self.errors(environment).map { $0.hasPrefix("\(name): ") } == [true])
    }

    @Test func imgproxysVariablesAreAliasesAndLoseToOurs() throws {
        let environment = [
            "IMGPROXY_KEY": "0a", "IMGPROXY_SALT": "0b", "IMGPROXY_BIND": ":9999", "IMGPROXY_QUALITY": "70",
            "TINTYPE_QUALITY": "71", "IMGPROXY_FORMAT_QUALITY": "webp=60, avif=40", "IMGPROXY_GZIP_COMPRESSION": "5",
            "IMGPROXY_MAX_SRC_RESOLUTION": "16.8", "IMGPROXY_LOG_LEVEL": "warn", "PATH": "/bin",
        ]
        let result = try Self.parse(environment, signed: false)
        #expect(result.settings.signing.keys.revealed == [[10]] && result.settings.output.quality == 71)
        #expect(result.settings.listening.bind == .tcp(host: nil, port: 9999))
        #expect(result.settings.output.formatQuality == ["webp": 60, "avif": 40, "jxl": 77])
        #expect(result.settings.limits.sourceMegapixels == 16.8 && result.settings.observing.logLevel == "warning")
        #expect(
            result.warnings == [
                "IMGPROXY_QUALITY: ignored, because TINTYPE_QUALITY is set",
                "IMGPROXY_GZIP_COMPRESSION: ignored, because the server does not have this setting",
            ])
    }

    @Test func aSecretMayComeFromAFile() throws {
        let files = ["/run/key": "736563726574\n", "/run/empty": " \n"]
        let result = try Self.parse(
            ["TINTYPE_KEY_FILE": "/run/key", "TINTYPE_SALT": "00"], signed: false, files: files)
        #expect(result.settings.signing.keys.revealed == [Array("secret".utf8)])
        let missing = ["TINTYPE_KEY_FILE": "/run/none", "TINTYPE_SALT_FILE": "/run/empty"]
        #expect(throws: SettingsErrors.self) { try Self.parse(missing, signed: false, files: files) }
        #expect(Self.errors(["TINTYPE_QUALITY_FILE": "/run/key"]).count == 1)
    }

    @Test func secretsAreInNoTextOfTheSettings() throws {
        let environment = [
            "TINTYPE_KEY": "5ec2e7ab", "TINTYPE_SALT": "5ec2e7cd", "TINTYPE_SECRET": "bearer-5ec2e7",
            "TINTYPE_REDIS_URL": "redis://:5ec2e7@host", "TINTYPE_TRUSTED_SIGNATURES": "5ec2e7",
        ]
        let settings = try Self.parse(environment, signed: false).settings
        var dumped = "\(settings) \(String(reflecting: settings))"
        dump(settings, to: &dumped)
        #expect(!dumped.contains("5ec2e7") && !dumped.contains("94"))
        #expect(settings.caching.redisURL.revealed == "redis://:5ec2e7@host")
        #expect(!SettingsTable.markdown.contains("5ec2e7"))
    }

    /// 0 turns these limits off in imgproxy.
    @Test(arguments: [
        "IMGPROXY_MAX_SRC_FILE_SIZE", "IMGPROXY_MAX_RESULT_DIMENSION", "IMGPROXY_MAX_CLIENTS",
        "IMGPROXY_MAX_SRC_RESOLUTION", "TINTYPE_TIMEOUT",
    ])
    func noLimitCanBeTurnedOff(_ name: String) {
        #expect(Self.errors([name: "0"]).map { $0.hasPrefix("\(name): expected ") } == [true])
    }

    @Test func aHugeValueIsRefused() {
        let value = String(repeating: "a,", count: 40_000)
        #expect(Self.errors(["TINTYPE_ALLOWED_SOURCES": value]).first?.hasSuffix("got 80000 bytes") == true)
    }

    @Test func controlCharactersDoNotReachTheTerminal() {
        let error = Self.errors(["TINTYPE_QUALITY": "\u{1B}[31m\n"]).first ?? ""
        #expect(!error.isEmpty && error.utf8.allSatisfy { $0 >= 0x20 })
    }

    // MARK: The table

    @Test func everyNameOccursOnce() {
        let names = SettingsTable.all.flatMap { [$0.name, $0.fileName, $0.alias].compactMap { $0 } }
        #expect(Set(names).count == names.count)
        #expect(SettingsTable.all.allSatisfy { $0.name.hasPrefix("TINTYPE_") && $0.help.hasSuffix(".") })
        #expect(SettingsTable.all.filter { $0.alias != nil }.count >= 30)
    }

    /// A default that the parser refused could not be written down by an operator.
    @Test func everyDefaultIsAValueOfItsSetting() {
        for setting in SettingsTable.all where !setting.standard.isEmpty {
            var settings = ServerSettings()
            #expect(setting.store(setting.standard, &settings), "\(setting.name)")
            #expect(settings == ServerSettings(), "\(setting.name)")
        }
    }

    @Test func theDocumentationHasARowForEachSetting() {
        let lines = SettingsTable.markdown.split(separator: "\n")
        for setting in SettingsTable.all {
            #expect(lines.filter { $0.hasPrefix("| `\(setting.name)`") }.count == 1)
        }
        #expect(
            lines.contains {
                $0.hasPrefix("| `TINTYPE_MAX_SRC_FILE_SIZE`<br>`IMGPROXY_MAX_SRC_FILE_SIZE` |")
                    && $0.contains("| `64M` |")
            })
        #expect(
            lines.filter { $0.hasPrefix("|") }.allSatisfy {
                $0.replacing("\\|", with: "").filter { $0 == "|" }.count == 5
            })
    }
}
