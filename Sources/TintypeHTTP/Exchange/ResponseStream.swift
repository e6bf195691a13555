import Foundation
import TintypeCore

/// The response to one request while it arrives: first its head, then the parts of its body. One task reads it.
///
/// The request is sent on creation. Releasing the stream cancels a response that has not ended.
final class ResponseStream: Sendable {
    let response: TransportResponse
    private let clock: TransferClock
    private let watch: TransferWatch
    /// The slot of the response in the watch; `nil` if it has no limit.
    private let slot: Int?

    /// Sends `request` over `transport`.
    ///
    /// - Parameters:
    ///   - pace: The limits on the time of the response.
    ///   - watch: Fails the response when it exceeds `pace`.
    ///   - limiter: Holds back the body; `nil` for no limit.
    init(
        to request: TransportRequest, over transport: any HTTPTransport, _ clock: TransferClock, at pace: TransferPace,
        under watch: TransferWatch, limitedBy limiter: ByteRateLimiter?
    ) {
        self.clock = clock
        self.watch = watch
        response = TransportResponse(clock, limitedBy: limiter)
        slot = watch.begin(response, pace)
        response.attach(transport.send(request, to: response))
    }

    deinit {
        if let slot { watch.end(slot) }
        cancel()
    }

    /// The uptime at which the request was sent.
    var sent: Duration { response.sent }

    /// The connection that carries the response; `nil` while it is unknown.
    var connection: TransportConnection? { response.state.withLock { $0.connection } }

    /// Waits for the head.
    ///
    /// - Throws: The error of the transport that ended the response before its head arrived;
    ///   `TintypeError.Code.cancelled` when the task or the response was cancelled.
    func head() async throws -> ResponseHead {
        while true {
            if let head = try response.state.withLock({ try $0.readHead() }) { return head }
            await wait()
        }
    }

    /// Waits for the next part of the body, and returns all that has arrived since the last call; nothing at the end.
    ///
    /// - Throws: The error of the transport that ended the response early, after all bytes that arrived before it;
    ///   `TintypeError.Code.cancelled` when the task or the response was cancelled.
    func part() async throws -> Data {
        while true {
            if let read = try response.state.withLock({ try $0.readPart(at: clock.uptime) }) {
                read.resumed?.resume()
                return read.part
            }
            await wait()
        }
    }

    /// Ends a response that has not ended, and its exchange. Bytes that have not been read are lost.
    func cancel() {
        // Nearly all streams have ended when they are released, and an error is an allocation.
        let actions = response.state.withLock { state in
            state.hasEnded ? ResponseStreamState.Actions() : state.cancel(TintypeError.cancelled)
        }
        response.perform(actions)
    }

    private func wait() async {
        let reader = ResponseStreamState.Reader()
        guard response.state.withLock({ $0.wait(reader) }) else { return }
        await reader.isDue.wait {
            cancel()
            return ()
        }
    }
}
