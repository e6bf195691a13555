import Foundation
import TintypeCore

/// An HTTP/1.1 server on 127.0.0.1 that serves the samples like a slow network. Each connection has a thread, because
/// there are few.
final class DemoOrigin: Sendable {
    let baseURL: URL

    private static let slicesPerSecond = 100

    private let samples: [DemoSample]
    private let latency: Duration
    private let bytesPerSecond: Int
    private let listener: Int32
    private let requests = Locked(0)

    /// Starts the server on a free port.
    ///
    /// - Throws: `POSIXError` if no port is available.
    init(_ samples: [DemoSample], latency: Duration, bytesPerSecond: Int) throws {
        (self.samples, self.latency, self.bytesPerSecond) = (samples, latency, bytesPerSecond)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { [listener] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && getsockname(listener, address, &length) == 0
                    && listen(listener, SOMAXCONN) == 0
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        guard isListening, let url = URL(string: "http://127.0.0.1:\(port)") else {
            let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            close(listener)
            throw error
        }
        baseURL = url
        Thread.detachNewThread { self.acceptConnections() }
    }

    /// The number of requests so far.
    var requestCount: Int { requests.withLock { $0 } }

    /// Stops accepting connections. Those that are open end with their clients.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func acceptConnections() {
        while true {
            let connection = accept(listener, nil, nil)
            if connection >= 0 {
                Thread.detachNewThread { self.serve(connection) }
            } else if errno != EINTR && errno != ECONNABORTED {
                break
            }
        }
        close(listener)
    }

    /// Answers the requests of a connection, which have no bodies, until the client closes it.
    private func serve(_ connection: Int32) {
        var input = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            input += buffer[..<count]
            guard let end = input.range(of: Data("\r\n\r\n".utf8)) else { continue }
            requests.withLock { $0 += 1 }
            guard respond(to: input[..<end.lowerBound], on: connection) else { break }
            input = Data(input[end.upperBound...])
        }
        close(connection)
    }

    /// - Returns: Whether the client has received everything so far.
    private func respond(to head: Data, on connection: Int32) -> Bool {
        Thread.sleep(forTimeInterval: latency / .seconds(1))
        let path = String(decoding: head, as: UTF8.self).split(separator: " ").dropFirst().first
        guard let sample = samples.first(where: { path == "/\($0.name)" }) else {
            return send(Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8), on: connection)
        }
        let fields = "Content-Type: \(sample.mediaType)\r\nContent-Length: \(sample.data.count)\r\n\r\n"
        guard send(Data("HTTP/1.1 200 OK\r\n\(fields)".utf8), on: connection) else { return false }
        let (start, slice) = (ContinuousClock.now, bytesPerSecond / Self.slicesPerSecond)
        for (number, offset) in stride(from: 0, to: sample.data.count, by: slice).enumerated() {
            // Counted from the start, so that late slices do not add up.
            let delay = (start - .now) / .seconds(1) + Double(number + 1) / Double(Self.slicesPerSecond)
            Thread.sleep(forTimeInterval: max(0, delay))
            guard send(sample.data.dropFirst(offset).prefix(slice), on: connection) else { return false }
        }
        return true
    }

    private func send(_ bytes: Data, on connection: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                let count = Foundation.send(connection, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
    }
}
