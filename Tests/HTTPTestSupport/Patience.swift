package import TintypeHTTP

extension DownloaderConfiguration {
    /// The standard one, but for time-outs that a machine with much to do, or a sanitizer, does not reach.
    package static var patient: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.idleTimeout = .seconds(3600)
        configuration.connectTimeout = .seconds(3600)
        return configuration
    }
}

extension Downloader {
    /// With such a configuration.
    package static var patient: Downloader { Downloader(.patient) }
}
