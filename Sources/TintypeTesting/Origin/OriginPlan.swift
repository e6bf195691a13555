import NIOHTTP1

/// What a response puts on the wire in answer to a certain request: settled before the first byte goes out.
struct OriginPlan {
    /// What follows the last byte.
    enum Conclusion {
        case keepAlive, close, reset, silence
    }

    let response: OriginResponse

    /// The status line and the header fields; nil if not even they are sent.
    let head: String?

    let body: OriginBody
    let conclusion: Conclusion

    /// - Parameters:
    ///   - isHead: Whether the request was a HEAD.
    ///   - keepsAlive: Whether the request allows the connection to stay open.
    init(_ response: OriginResponse, isHead: Bool, keepsAlive: Bool) {
        let isBodiless = [204, 304].contains(response.status)
        self.response = response
        self.head =
            response.ending == .never || response.ending == .dropped
            ? nil : Self.head(of: response, isBodiless: isBodiless, keepsAlive: keepsAlive)
        self.body = isBodiless || isHead ? .empty : OriginBody(response)
        self.conclusion = Self.conclusion(of: response, keepsAlive: keepsAlive)
    }

    private static func head(of response: OriginResponse, isBodiless: Bool, keepsAlive: Bool) -> String {
        var fields = response.headers
        if !isBodiless, let framing = response.framing.header(bodyCount: response.body.count) {
            fields.append(framing)
        }
        if !keepsAlive || response.framing == .untilClose {
            fields.append(("Connection", "close"))
        }
        let reason = HTTPResponseStatus(statusCode: response.status).reasonPhrase
        let lines = ["HTTP/1.1 \(response.status) \(reason)"] + fields.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func conclusion(of response: OriginResponse, keepsAlive: Bool) -> Conclusion {
        switch response.ending {
        case .whole: keepsAlive && response.framing.allowsKeepAlive ? .keepAlive : .close
        case .cut: .close
        case .reset: .reset
        case .silence, .never: .silence
        case .dropped: .close
        }
    }
}
