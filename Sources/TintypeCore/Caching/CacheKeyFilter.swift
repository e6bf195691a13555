public import Foundation

/// Gives pictures other names in the caches than their URLs: as a ``RequestInterceptor``, so that memory, disk, shared
/// work and the memory of failures all know a picture by the same name. What is loaded stays the same URL.
public struct CacheKeyFilter: RequestInterceptor {
    private let name: @Sendable (URL) -> String?

    /// - Parameter name: the name of a URL's bytes; `nil` leaves the URL. Called on the caller's thread for every
    ///   request, memory hits included. Two URLs with the same name have to lead to the same bytes.
    public init(_ name: @escaping @Sendable (URL) -> String?) {
        self.name = name
    }

    public func intercept(_ request: ImageRequest) -> ImageRequest {
        // Of requests with a method or headers of their own, those are part of the name.
        guard request.identity == nil, case .url(let url) = request.source, let name = name(url) else { return request }
        var request = request
        request.identity = name
        return request
    }
}

extension CacheKeyFilter {
    /// Leaves out items of the query that do not change the picture: signatures, session numbers, where it is shown.
    public static func droppingQueryItems(_ names: Set<String>) -> CacheKeyFilter {
        CacheKeyFilter { url in
            changingQuery(of: url) { items in
                items.filter { !names.contains($0.name.removingPercentEncoding ?? $0.name) }
            }
        }
    }

    /// Lets the order of the items of the query not matter. Items of the same name keep their order.
    public static let sortingQuery = CacheKeyFilter { url in
        changingQuery(of: url) { items in
            items.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
        }
    }

    /// A name for every URL by a rule of the program's own, such as the identifier in its path.
    public static func explicit(_ name: @escaping @Sendable (URL) -> String?) -> CacheKeyFilter { CacheKeyFilter(name) }

    private static func changingQuery(of url: URL, _ change: ([URLQueryItem]) -> [URLQueryItem]) -> String? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let items = parts.percentEncodedQueryItems
        else { return nil }
        let changed = change(items)
        parts.percentEncodedQueryItems = changed.isEmpty ? nil : changed
        return parts.string
    }
}
