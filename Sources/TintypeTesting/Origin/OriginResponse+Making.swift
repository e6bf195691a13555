public import Foundation

extension OriginResponse {
    /// An image.
    ///
    /// - Parameter type: The media type: `image/png`.
    public static func image(_ data: Data, type: String) -> OriginResponse {
        OriginResponse(headers: [("Content-Type", type)], body: data)
    }

    /// A page of HTML.
    public static func html(_ text: String) -> OriginResponse {
        OriginResponse(headers: [("Content-Type", "text/html; charset=utf-8")], body: Data(text.utf8))
    }

    /// A bare status with an empty body.
    public static func status(_ code: Int) -> OriginResponse {
        OriginResponse(status: code)
    }

    /// A redirect.
    ///
    /// - Parameter location: A URL, or a path at the same origin, sent as it is.
    public static func redirect(to location: String, status: Int = 302) -> OriginResponse {
        OriginResponse(status: status, headers: [("Location", location)])
    }

    /// The same response but for one property: `.image(data, type: "image/png").with(\.bandwidth, 10_000)`.
    public func with<Value>(_ property: WritableKeyPath<OriginResponse, Value>, _ value: Value) -> OriginResponse {
        var copy = self
        copy[keyPath: property] = value
        return copy
    }

    /// The same response with one more header field.
    public func with(header name: String, _ value: String) -> OriginResponse {
        with(\.headers, headers + [(name, value)])
    }
}
