import Foundation
import NIOCore

/// Sends one response with its latency, gate and bandwidth.
///
/// Confined to the event loop of its channel. Every step checks that the channel is open, so that a delivery ends with
/// it.
final class OriginDelivery {
    /// The time between the last byte and a reset. A reset can overtake bytes that the client has not read yet.
    private static let graceBeforeReset = TimeAmount.milliseconds(10)

    private let plan: OriginPlan
    private let channel: any Channel
    private let pace: OriginPace?
    private let whenSent: () -> Void
    private var body: OriginBody
    private var gate: OriginGate?
    private var nextSlice = NIODeadline.now()

    /// Creates a delivery.
    ///
    /// - Parameter whenSent: Called when the last byte is sent; never if the response ends in silence.
    init(_ plan: OriginPlan, to channel: any Channel, whenSent: @escaping () -> Void) {
        self.plan = plan
        self.channel = channel
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
        schedule(at: .now() + TimeAmount(plan.response.latency)) { delivery in
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
        let sent = write(body.trailer).assumeIsolated()
        switch plan.conclusion {
        case .silence: break
        case .keepAlive, .close: sent.whenSuccess { self.whenSent() }
        case .reset: sent.whenSuccess { self.schedule(at: .now() + Self.graceBeforeReset) { $0.whenSent() } }
        }
    }

    /// The position of the gate in the body, or `nil` if there is none or it is passed.
    private var gatePosition: Int? {
        gate?.bodyBytes.map { min(max(0, $0), body.count) }
    }

    private func wait(at gate: OriginGate, then step: @escaping @Sendable (OriginDelivery) -> Void) {
        let delivery = NIOLoopBound(self, eventLoop: channel.eventLoop)
        gate.whenOpen { [eventLoop = channel.eventLoop] in
            eventLoop.execute { delivery.value.pass(then: step) }
        }
    }

    private func pass(then step: (OriginDelivery) -> Void) {
        gate = nil
        nextSlice = .now()
        if channel.isActive { step(self) }
    }

    private func schedule(at deadline: NIODeadline, _ step: @escaping (OriginDelivery) -> Void) {
        channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            if self.channel.isActive { step(self) }
        }
    }

    @discardableResult
    private func write(_ data: Data) -> EventLoopFuture<Void> {
        channel.writeAndFlush(ByteBuffer(bytes: data))
    }
}

/// The pace of a body: the size of a slice and the interval between slices.
struct OriginPace {
    /// The number of bytes in a slice.
    let slice: Int

    /// The time per slice.
    let interval: TimeAmount

    /// - Parameter bandwidth: The bandwidth in bytes per second, at least 1.
    init(bandwidth: Int) {
        let bandwidth = max(1, bandwidth)
        // 10 ms, unless the bandwidth is less than one byte per 10 ms.
        slice = max(1, bandwidth / 100)
        interval = .nanoseconds(Int64(Double(slice) / Double(bandwidth) * 1e9))
    }
}
