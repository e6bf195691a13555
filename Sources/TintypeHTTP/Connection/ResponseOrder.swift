import TintypeCore

/// Decides which parts of a response may reach the HTTP client, which ends the process on several that a server can
/// send: a status below 100, a switch of protocols, a part before the head, a second head.
///
/// Informational responses (RFC 9110, 15.2) are left out: nothing uses them, and they are no progress of a transfer.
struct ResponseOrder: Hashable, Sendable {
    /// The maximum number of informational responses before a response.
    static let maximumInformationalCount = 32

    /// What a handler does with a part.
    enum Decision: Hashable, Sendable {
        case forward
        case drop
        /// Fails the request, with a message that describes the violation.
        case reject(String)
    }

    private enum Phase: Hashable, Sendable {
        /// No response is expected.
        case idle
        case waitingForHead(informationalCount: Int)
        case receivingBody
        /// A part was rejected, and all further ones are dropped.
        case rejected
    }

    private var phase = Phase.idle
    /// Whether the head of the request was sent, but neither a part of its body nor its end.
    private var awaitsRequestBody = false

    /// Whether no response is expected: before the first request, and after each response.
    var isIdle: Bool { phase == .idle }

    // MARK: The request

    /// The head of a request is sent.
    mutating func sendHead() {
        phase = phase == .rejected ? .rejected : .waitingForHead(informationalCount: 0)
        awaitsRequestBody = true
    }

    /// A part of the request's body, or its end, is sent.
    mutating func sendRest() {
        awaitsRequestBody = false
    }

    // MARK: The response

    /// A head arrives.
    ///
    /// - Parameter status: The status as the server sent it.
    mutating func receiveHead(status: String) -> Decision {
        guard status.utf8.count == 3, let code = Int(status), code >= 100 else {
            let printable = status.utf8.prefix(20).map { (33...126).contains($0) ? $0 : UInt8(ascii: "?") }
            return reject("the server sent the invalid status \"\(String(decoding: printable, as: UTF8.self))\"")
        }
        return receiveHead(status: code)
    }

    /// A head arrives, whose status is a number.
    mutating func receiveHead(status: Int) -> Decision {
        switch phase {
        case .rejected: return .drop
        case .idle, .receivingBody: return reject("the server sent a response that was not requested")
        case .waitingForHead(let count):
            switch status {
            case 101: return reject("the server switched to a protocol that was not requested")
            case 100..<200: return receiveInformational(count + 1)
            case 200...999: return receiveFinal(status)
            default: return reject("the server sent the invalid status \("00\(status)".suffix(3))")
            }
        }
    }

    /// A part of the body, or the end of the response, arrives.
    ///
    /// - Parameter isEnd: Whether it is the end.
    mutating func receiveRest(isEnd: Bool) -> Decision {
        switch phase {
        case .rejected: return .drop
        case .idle, .waitingForHead: return reject("the server sent a body without a head")
        case .receivingBody:
            if isEnd { phase = .idle }
            return .forward
        }
    }

    /// Rejects the response for another reason.
    mutating func reject(_ message: String) -> Decision {
        guard phase != .rejected else { return .drop }
        phase = .rejected
        return .reject(message)
    }

    private mutating func receiveInformational(_ count: Int) -> Decision {
        guard count <= Self.maximumInformationalCount else {
            return reject("the server sent more than \(Self.maximumInformationalCount) informational responses")
        }
        phase = .waitingForHead(informationalCount: count)
        return .drop
    }

    private mutating func receiveFinal(_ status: Int) -> Decision {
        // The client starts to send the body although a response has begun, and ends the process for it.
        if awaitsRequestBody, status < 300 {
            return reject("the server responded before it received the request")
        }
        phase = .receivingBody
        return .forward
    }
}
