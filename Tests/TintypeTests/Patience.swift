import Tintype

extension DownloaderConfiguration {
    /// The standard one, but for a machine with much to do, or a sanitizer, which is not a server that is gone.
    static var patient: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.idleTimeout = .seconds(3600)
        configuration.connectTimeout = .seconds(3600)
        return configuration
    }
}
