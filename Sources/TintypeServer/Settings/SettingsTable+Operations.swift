extension SettingsTable {
    static let caching: [Setting] = [
        lifetime(
            "TTL", alias: "TTL", \.caching.standardLifetime,
            "The freshness of sources that state none, in seconds."),
        lifetime("MIN_TTL", \.caching.minimumLifetime, "The minimum freshness, in seconds."),
        .value(
            "MIN_TTL_BY_HOST", \.caching.minimumLifetimeByHost,
            expected: "pairs such as cdn.example.org=600, divided by commas",
            help: "The minimum freshness of sources of some hosts, in seconds.",
            parse: { SettingText.integerPairs($0, in: 0...31_536_000) }, text: SettingText.pairsText),
        lifetime("MAX_TTL", \.caching.maximumLifetime, "The maximum freshness, in seconds."),
        lifetime(
            "STALE_WHILE_REVALIDATE", \.caching.staleWhileRevalidate,
            "How long a stale source, or a response in a cache in front, is used during revalidation, in seconds."),
        lifetime(
            "STALE_IF_ERROR", \.caching.staleIfError,
            "How long a stale source, or a response in a cache in front, is used after an error, in seconds."),
        .text(
            "CACHE_DIRECTORY", \.caching.directory, expected: "an absolute path",
            help: "The directory of the disk cache; that of the XDG specification by default.", isValid: isPath),
        .bytes("CACHE_DISK_BYTES", \.caching.diskBytes, help: "The size of the disk cache."),
        .bytes(
            "CACHE_MEMORY_BYTES", \.caching.memoryBytes, help: "The size of the memory cache; 0 for 15 % of the memory."
        ),
        secret(
            "REDIS_URL", \.caching.redisURL, expected: "redis:// or rediss:// URLs, divided by commas",
            help: "The servers of the shared cache for small results.",
            isValid: { text in
                let urls = SettingText.elements(text)
                return !urls.isEmpty && urls.allSatisfy { $0.hasPrefix("redis://") || $0.hasPrefix("rediss://") }
            }),
        .text(
            "S3_BUCKET", \.caching.s3Bucket, expected: "the name of a bucket",
            help: "The bucket of the shared cache for all results.", isValid: { !$0.isEmpty && isVisible($0) }),
        .text(
            "FALLBACK_IMAGE_PATH", alias: "FALLBACK_IMAGE_PATH", \.caching.fallbackFile, expected: "an absolute path",
            help: "An image for requests that fail, which keep their status. None by default.", isValid: isPath),
        lifetime(
            "FALLBACK_IMAGE_TTL", alias: "FALLBACK_IMAGE_TTL", \.caching.fallbackLifetime,
            "How long a fallback image is cached, in seconds."),
    ]

    static let observing: [Setting] = [
        .flag(
            "DEVELOPMENT", alias: "DEVELOPMENT_ERRORS_MODE", \.observing.isDevelopment,
            help: "Whether errors tell their details, which may name sources, and / is a page to try options."),
        .value(
            "LOG_LEVEL", alias: "LOG_LEVEL", \.observing.logLevel, expected: levels.joined(separator: ", "),
            help: "The least severe messages that are logged.",
            parse: { text in
                let level = text.lowercased()
                let name = level == "warn" ? "warning" : level == "fatal" ? "critical" : level
                return levels.contains(name) ? name : nil
            }, text: { $0 }),
        .flag("ACCESS_LOG", \.observing.isAccessLogOn, help: "Whether each request is logged as a JSON object."),
    ]

    private static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    private static func lifetime(
        _ name: String, alias: String? = nil, _ path: Setting.Path<Int>, _ help: String
    ) -> Setting {
        .integer(name, alias: alias, path, in: 0...31_536_000, help: help)
    }
}
