/// All settings of the server, with their defaults. ``SettingsTable`` names and describes them.
package struct ServerSettings: Hashable, Sendable {
    /// Where and how the server listens.
    package struct Listening: Hashable, Sendable {
        package var bind = BindAddress.tcp(host: nil, port: 8080)
        package var metricsBind: BindAddress?
        package var adminBind: BindAddress?
        package var adminToken = Secret<String?>(nil)
        package var pathPrefix = ""
        package var bearerToken = Secret<String?>(nil)
        package var allowedOrigins: [String] = []
        package var certificateFile: String?
        package var privateKeyFile: String?
        package var maximumConnections = 2048
        package var keepAliveTimeout = Duration.seconds(75)
        package var readTimeout = Duration.seconds(10)
        package var writeTimeout = Duration.seconds(30)
        package var trustedProxies: [String] = []
        package var requestTimeout = Duration.seconds(20)
        package var gracePeriod = Duration.seconds(20)
    }

    /// Which URLs are genuine.
    package struct Signing: Hashable, Sendable {
        package var keys = Secret<[[UInt8]]>([])
        package var salts = Secret<[[UInt8]]>([])
        package var signatureSize = 32
        package var trustedSignatures = Secret<[String]>([])
        package var isUnsigned = false
    }

    /// What a request may cost.
    package struct Limits: Hashable, Sendable {
        /// 0 for the number of processor cores.
        package var workers = 0
        /// In bytes; 0 for a quarter of the memory.
        package var decodedBytes = 0
        /// 0 for a length that depends on the workers, and is shorter under overload.
        package var queueLength = 0
        package var sourceMegapixels = 50.0
        package var sourceBytes = 64 << 20
        package var frames = 1
        package var frameMegapixels = 0.0
        package var isStrictlyIsolated = false
        package var additionalFormats: [String] = []
        package var resultSide = 8192
        package var allowsSecurityOptions = false
        package var allowedOptions: [String] = []
        package var argumentSeparator = ":"
    }

    /// Where images come from.
    package struct Sources: Hashable, Sendable {
        package var allowed: [String] = []
        package var baseURL = ""
        package var urlReplacements: [String] = []
        package var hasFileName = false
        package var localRoot: String?
        package var allowsLoopback = false
        package var allowsLinkLocal = false
        package var allowsPrivate = false
        package var maximumRedirects = 5
        package var downloadTimeout = Duration.seconds(10)
        package var stallTimeout = Duration.seconds(5)
        package var userAgent = "tintype-server"
        package var s3Endpoint: String?
        package var s3Region = "us-east-1"
    }

    /// What the images are.
    package struct Output: Hashable, Sendable {
        package var quality = 80
        package var formatQuality = ["avif": 63, "jxl": 77, "webp": 79]
        package var isProgressive = true
        package var preferredFormats = ["jpeg", "png", "gif"]
        package var stripsMetadata = true
        package var keepsCopyright = true
        package var preservesHDR = true
        package var rotates = true
        package var negotiatesWebP = false
        package var negotiatesAVIF = false
        package var negotiatesJXL = false
        package var usesClientHints = false
        package var usesSaveData = false
        package var presets: [String] = []
        package var onlyPresets = false
        package var returnsAttachment = false
        package var allowsRaw = false
        package var isReverseProxy = false
        package var watermarkFile: String?
        package var watermarkOpacity = 1.0
    }

    /// How long responses last, and where they are kept.
    package struct Caching: Hashable, Sendable {
        package var standardLifetime = 3600
        package var minimumLifetime = 0
        package var minimumLifetimeByHost: [String: Int] = [:]
        package var maximumLifetime = 31_536_000
        package var staleWhileRevalidate = 86_400
        package var staleIfError = 86_400
        package var directory: String?
        package var diskBytes = 1 << 30
        /// In bytes; 0 for 15 % of the memory.
        package var memoryBytes = 0
        package var redisURL = Secret<String?>(nil)
        package var s3Bucket: String?
        package var fallbackFile: String?
        package var fallbackLifetime = 60
    }

    /// What the operator sees.
    package struct Observing: Hashable, Sendable {
        package var isDevelopment = false
        package var logLevel = "info"
        package var isAccessLogOn = true
    }

    package var listening = Listening()
    package var signing = Signing()
    package var limits = Limits()
    package var sources = Sources()
    package var output = Output()
    package var caching = Caching()
    package var observing = Observing()

    /// The defaults.
    package init() {}
}

extension ServerSettings {
    /// Where the server listens. One without signatures listens on the loopback address unless an address is named,
    /// because it would fetch any image for anyone.
    package var effectiveBind: BindAddress {
        signing.isUnsigned && !listening.bind.namesAddress ? listening.bind.onLoopback : listening.bind
    }

    /// The limits of admission on a machine.
    ///
    /// - Parameters:
    ///   - cores: The number of processor cores.
    ///   - memory: The memory of the machine or the control group, in bytes.
    func admissionLimits(cores: Int, memory: Int) -> AdmissionLimits {
        AdmissionLimits(
            workers: limits.workers > 0 ? limits.workers : cores,
            decodedBytes: limits.decodedBytes > 0 ? limits.decodedBytes : memory / 4,
            queueLength: limits.queueLength > 0 ? limits.queueLength : nil)
    }

    /// The formats that clients get if they accept them, in the order of preference.
    var negotiation: NegotiationSettings {
        var formats: [NegotiableFormat] = []
        if output.negotiatesJXL { formats.append(.jxl) }
        if output.negotiatesAVIF { formats.append(.avif) }
        if output.negotiatesWebP { formats.append(.webp) }
        return NegotiationSettings(
            formats: formats, usesClientHints: output.usesClientHints, usesSaveData: output.usesSaveData)
    }

    /// The limits of the freshness that the server states.
    var cacheLimits: HostCacheLimits {
        var limits = HostCacheLimits()
        limits.standard.standard = caching.standardLifetime
        limits.standard.minimum = caching.minimumLifetime
        limits.standard.maximum = caching.maximumLifetime
        limits.standard.staleWhileRevalidate = caching.staleWhileRevalidate
        limits.standard.staleIfError = caching.staleIfError
        limits.minimumByHost = caching.minimumLifetimeByHost
        return limits
    }

    /// The web origins that may read responses.
    var crossOrigin: CrossOriginPolicy {
        if listening.allowedOrigins.contains("*") { return .any }
        return listening.allowedOrigins.isEmpty ? .none : .origins(Set(listening.allowedOrigins))
    }
}
