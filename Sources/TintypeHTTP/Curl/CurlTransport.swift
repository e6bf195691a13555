package import TintypeCore

/// The transport over libcurl, which is loaded at the first request.
///
/// Each thread of a transport drives exchanges with a pool of connections of its own. It starts at its first request,
/// and ends, with its connections, when there was none for 30 seconds.
package final class CurlTransport: HTTPTransport {
    /// The transport of all downloaders whose configuration names no other one.
    package static let shared = CurlTransport()

    private static let threaded = Locked<[Int: CurlTransport]>([:])
    private static let maximumThreadCount = 64

    /// Returns the transport with a number of threads, from 1 to 64, that all downloaders with this number share.
    static func shared(threadCount: Int) -> CurlTransport {
        let count = min(threadCount, maximumThreadCount)
        guard count > 1 else { return shared }
        return threaded.withLock { transports in
            let transport = transports[count] ?? CurlTransport(threadCount: count)
            transports[count] = transport
            return transport
        }
    }

    private let drivers: [CurlDriver]
    private let next = Locked(0)

    /// Creates a transport without a thread.
    ///
    /// - Parameter threadCount: The number of threads, at least 1, among which exchanges are distributed. Each has its
    ///   own connections. One thread is enough for some gigabits per second.
    package init(threadCount: Int = 1) {
        drivers = (0..<max(1, threadCount)).map { _ in CurlDriver() }
    }

    /// Whether HTTP/2 is used: whether libcurl is there, can speak it, and is as new as ``firstVersionWithHTTP2``.
    /// Loads libcurl.
    package static var usesHTTP2: Bool { failure == nil && CurlLibrary.usesHTTP2 }

    /// The first version of libcurl over which HTTP/2 is used: with earlier ones, some of several responses do not end.
    package static let firstVersionWithHTTP2 = "8.1.0"

    /// The version of libcurl, such as `7.88.1`; `nil` if it cannot be used. Loads libcurl.
    package static var libraryVersion: String? { failure == nil ? CurlLibrary.versionName : nil }

    /// The reason why libcurl cannot be used; `nil` if it can be. Loads libcurl.
    package static var failure: TintypeError? {
        guard case .failure(let error) = CurlLibrary.loaded else { return nil }
        return error
    }

    /// `true`.
    package var checksAddresses: Bool { true }

    /// Sends a request. See ``HTTPTransport``.
    package func send(_ request: TransportRequest, to response: TransportResponse) -> any TransportExchange {
        let driver = driver
        let exchange = CurlExchange(request, response, driver)
        driver.submit(.start(exchange))
        return exchange
    }

    private var driver: CurlDriver {
        guard drivers.count > 1 else { return drivers[0] }
        return drivers[
            next.withLock { next in
                next = (next + 1) % drivers.count
                return next
            }]
    }
}
