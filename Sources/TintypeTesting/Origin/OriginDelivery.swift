import Foundation

/// Sends one response with its latency, gate and bandwidth.
///
/// Every step checks that the connection is open, so that a delivery ends with it.
@SocketLoop
final class OriginDelivery {
    /// The time between the last byte and a reset. A reset can overtake bytes that the client has not read yet.
    private static let graceBeforeReset = Duration.milliseconds(10)

    private let plan: OriginPlan
    private let connection: SocketConnection
    private let pace: OriginPace?
    private let whenSent: @SocketLoop () -> Void
    private var body: OriginBody
    private var gate: OriginGate?
    private var nextSlice = ContinuousClock.now

    /// Creates a delivery.
    ///
    /// - Parameter whenSent: Called when the last byte is sent; never if the response ends in silence.
    init(_ plan: OriginPlan, to connection: SocketConnection, whenSent: @escaping @SocketLoop () -> Void) {
        self.plan = plan
        self.connection = connection
        self.pace = plan.response.bandwidth.map(OriginPace.init)
        self.whenSent = whenSent
        self.body = plan.body
        self.gate = plan.response.gate
    }

    /// Starts the delivery after the response's latency.
    func start() {
        guard let head = plan.head else {
            if plan.conclusion == .close { whenSent() }
            return
        }
        schedule(at: .now + plan.response.latency) { delivery in
            delivery.send(head: head)
        }
    }

    private func send(head: String) {
        if let gate, gate.bodyBytes == nil {
            return wait(at: gate) { $0.send(head: head) }
        }
        write(Data(head.utf8))
        advance()
    }

    /// Takes the next step after the head: waits at the gate, ends, or sends a slice.
    private func advance() {
        if let gate, body.position == gatePosition {
            wait(at: gate) { $0.advance() }
        } else if body.isExhausted {
            finish()
        } else {
            sendSlice()
        }
    }

    private func sendSlice() {
        let end = gatePosition ?? body.count
        guard let pace else {
            write(body.next(upTo: end))
            return advance()
        }
        nextSlice = nextSlice + pace.interval
        schedule(at: nextSlice) { delivery in
            delivery.write(delivery.body.next(upTo: min(end, delivery.body.position + pace.slice)))
            delivery.advance()
        }
    }

    private func finish() {
        write(body.trailer)
        switch plan.conclusion {
        case .silence: break
        case .keepAlive, .close: connection.whenSent(whenSent)
        case .reset:
            connection.whenSent { self.schedule(at: .now + Self.graceBeforeReset) { $0.whenSent() } }
        }
    }

    /// The position of the gate in the body, or `nil` if there is none or it is passed.
    private var gatePosition: Int? {
        gate?.bodyBytes.map { min(max(0, $0), body.count) }
    }

    private func wait(at gate: OriginGate, then step: @escaping @SocketLoop (OriginDelivery) -> Void) {
        gate.whenOpen {
            SocketLoop.execute { self.pass(then: step) }
        }
    }

    private func pass(then step: @SocketLoop (OriginDelivery) -> Void) {
        gate = nil
        nextSlice = .now
        if connection.isOpen { step(self) }
    }

    private func schedule(at deadline: ContinuousClock.Instant, _ step: @escaping @SocketLoop (OriginDelivery) -> Void)
    {
        SocketPoller.shared.schedule(at: deadline) {
            if self.connection.isOpen { step(self) }
        }
    }

    private func write(_ data: Data) {
        connection.send(data)
    }
}

/// The pace of a body: the size of a slice and the interval between slices.
struct OriginPace {
    /// The number of bytes in a slice.
    let slice: Int

    /// The time per slice.
    let interval: Duration

    /// - Parameter bandwidth: The bandwidth in bytes per second, at least 1.
    init(bandwidth: Int) {
        let bandwidth = max(1, bandwidth)
        // 10 ms, unless the bandwidth is less than one byte per 10 ms.
        slice = max(1, bandwidth / 100)
        interval = .seconds(Double(slice) / Double(bandwidth))
    }
}
