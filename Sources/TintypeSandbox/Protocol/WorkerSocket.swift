import CTintypeSandbox
import Foundation
import TintypeCore

/// Sends and receives whole messages: the number of bytes, the kind, and the body.
///
/// Not thread-safe: use each direction from one thread at a time.
struct WorkerSocket {
    let descriptor: Int32

    /// The length of what precedes each body: a number of four bytes, and the kind.
    static let headerLength = 5
    /// The largest body. The longest are the lists of frames.
    static let maximumLength = 64 << 20

    /// One message.
    struct Message {
        var kind: UInt8
        var body: [UInt8]
        /// The descriptor that came with it, or -1.
        var descriptor: Int32 = -1
    }

    /// Creates two connected sockets, or returns `nil` if the process has too many descriptors.
    static func pair() -> (host: Int32, worker: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        // The host never waits in a call that it cannot leave.
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// Sends a message.
    ///
    /// - Returns: Whether all of it was sent.
    func send(_ kind: UInt8, _ body: [UInt8] = [], descriptor attached: Int32 = -1) -> Bool {
        var writer = WireWriter()
        writer.write(UInt32(body.count))
        writer.write(kind)
        let bytes = writer.bytes + body
        return bytes.withUnsafeBytes { raw in
            raw.baseAddress.map { tintype_send(descriptor, $0, raw.count, attached) == 0 } ?? false
        }
    }

    /// Receives a message.
    ///
    /// - Parameters:
    ///   - acceptsDescriptor: Whether a descriptor may come with it. The kernel closes others.
    ///   - mayContinue: Returns `false` to give up. Called whenever bytes have arrived, so that a sender that never
    ///     pauses is interrupted as well.
    ///   - wait: Waits until bytes have arrived; returns `false` to give up. Called when there are none.
    /// - Returns: `nil` at the end of the connection, after an error, or if a closure gave up.
    func receive(
        acceptsDescriptor: Bool = false, mayContinue: () -> Bool = { true }, _ wait: () -> Bool = { true }
    ) -> Message? {
        var (header, attached) = ([UInt8](repeating: 0, count: Self.headerLength), Int32(-1))
        var isWhole = false
        defer { if !isWhole, attached >= 0 { close(attached) } }
        let attach = { (new: Int32) in
            if attached >= 0 { close(attached) }
            attached = new
        }
        guard fill(&header, acceptsDescriptor ? attach : nil, mayContinue, wait) else { return nil }
        let length = header.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))) }
        guard length <= Self.maximumLength else { return nil }
        var body: [UInt8] = []
        // Grows with the bytes that arrive, so that an announcement alone costs nothing.
        while body.count < length {
            var piece = [UInt8](repeating: 0, count: min(length - body.count, 256 << 10))
            guard fill(&piece, nil, mayContinue, wait) else { return nil }
            if body.isEmpty { body = piece } else { body += piece }
        }
        isWhole = true
        return Message(kind: header[4], body: body, descriptor: attached)
    }

    private func fill(
        _ buffer: inout [UInt8], _ receiveDescriptor: ((Int32) -> Void)?, _ mayContinue: () -> Bool, _ wait: () -> Bool
    ) -> Bool {
        var count = 0
        while count < buffer.count {
            let received = buffer.withUnsafeMutableBytes { raw -> Int in
                guard let start = raw.baseAddress.map({ $0 + count }) else { return 0 }
                guard let receiveDescriptor else { return tintype_receive(descriptor, start, raw.count - count, nil) }
                var attached: Int32 = -1
                defer { if attached >= 0 { receiveDescriptor(attached) } }
                return tintype_receive(descriptor, start, raw.count - count, &attached)
            }
            if received > 0 {
                count += received
                guard mayContinue() else { return false }
            } else if received == 0 || errno != EAGAIN || !wait() {
                return false
            }
        }
        return true
    }
}
