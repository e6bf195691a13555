import Foundation

/// When a request was sent, and when the head of its response had come (RFC 9111, 4.2.3).
struct ExchangeTimes: Hashable, Sendable {
    let sent: Date
    let answered: Date
}
