public import Foundation

/// A request interceptor that identifies images in caches by names other than their URLs.
///
/// The memory cache, the disk cache, coalescing and ``FailureMemory`` all use the name. The URL that is loaded does not
/// change.
public struct CacheKeyFilter: RequestInterceptor {
    private let name: @Sendable (URL) -> String?

    /// Creates a filter.
    ///
    /// - Parameter name: Returns the name of a URL's bytes, or `nil` to keep the URL. Called on the caller's thread for
    ///   every request, including memory hits. Two URLs with the same name must return the same bytes.
    public init(_ name: @escaping @Sendable (URL) -> String?) {
        self.name = name
    }

    /// Sets the identity of a request for a plain URL, unless the request has one.
    public func intercept(_ request: ImageRequest) -> ImageRequest {
        // A method and header fields are part of the identity, so requests that set them are left alone.
        guard request.identity == nil, case .url(let url) = request.source, let name = name(url) else { return request }
        var request = request
        request.identity = name
        return request
    }
}

extension CacheKeyFilter {
    /// Returns a filter that ignores query items that do not change the image, such as signatures or session
    /// identifiers.
    ///
    /// - Parameter names: The names of the query items, without percent-encoding.
    public static func droppingQueryItems(_ names: Set<String>) -> CacheKeyFilter {
        CacheKeyFilter { url in
            changingQuery(of: url) { items in
                items.filter { !names.contains($0.name.removingPercentEncoding ?? $0.name) }
            }
        }
    }

    /// A filter that ignores the order of query items with different names. Items of the same name keep their order.
    public static let sortingQuery = CacheKeyFilter { url in
        changingQuery(of: url) { items in
            items.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
        }
    }

    private static func changingQuery(of url: URL, _ change: ([URLQueryItem]) -> [URLQueryItem]) -> String? {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let items = components.percentEncodedQueryItems
        else { return nil }
        let changed = change(items)
        components.percentEncodedQueryItems = changed.isEmpty ? nil : changed
        return components.string
    }
}
