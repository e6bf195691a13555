import TintypeHTTP

extension DownloaderConfiguration {
    /// The standard one, but for time-outs that a machine with much to do, or a sanitizer, does not reach.
    static var patient: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.idleTimeout = .seconds(3600)
        configuration.connectTimeout = .seconds(3600)
        return configuration
    }
}

extension Downloader {
    /// With such a configuration.
    static var patient: Downloader { Downloader(.patient) }
}
