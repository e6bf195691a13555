public import TintypeCore

extension ImageRequest {
    /// What this request wants of HTTP. Loads that differ in it share no transfer; keys of caches do not know of it.
    public var http: HTTPOptions {
        get { extras[HTTPOptionsKey.self] }
        set { extras[HTTPOptionsKey.self] = newValue }
    }
}

enum HTTPOptionsKey: RequestExtraKey {
    static let defaultValue = HTTPOptions()
}
