package import TintypeHTTP

extension DownloaderConfiguration {
    /// The standard configuration, with timeouts that neither a busy machine nor a sanitizer reaches.
    package static var patient: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.idleTimeout = .seconds(3600)
        configuration.connectTimeout = .seconds(3600)
        configuration.totalTimeout = nil
        configuration.minimumRate = nil
        return configuration
    }
}

extension Downloader {
    /// A downloader with the patient configuration.
    package static var patient: Downloader { Downloader(.patient) }
}
