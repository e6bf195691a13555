import Foundation

/// A caching reverse proxy over an image pipeline, so that a test suite for HTTP caches can judge the pipeline's rules.
/// `make cache-tests` runs it. It accepts any bytes as an image, and is no proxy for other uses.
///
///     CacheProxy ORIGIN PORT request       passes the client's header fields on in the source of the request
///     CacheProxy ORIGIN PORT interceptor   adds the client's header fields in an interceptor
@main
struct CacheProxy {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let origin = URL(string: arguments[1]), let port = Int(arguments[2]),
            let carrier = FieldCarrier(rawValue: arguments[3])
        else {
            FileHandle.standardError.write(Data("usage: CacheProxy ORIGIN PORT request|interceptor\n".utf8))
            exit(2)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-proxy-\(UUID().uuidString)")
        let cache = ProxyCache(origin: origin, folder: folder, carrier: carrier)
        try await ProxyServer.run(port: port) { await cache.response(to: $0) }
    }
}

/// How the header fields of a client's request become part of the pipeline's request.
enum FieldCarrier: String, Sendable {
    case request
    case interceptor
}
