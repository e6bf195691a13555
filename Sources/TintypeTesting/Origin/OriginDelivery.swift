import Foundation
import NIOCore

/// Sends one response: waits out its latency, stops at its gate, keeps its pace.
///
/// Lives on the event loop of its channel. It ends by itself when the channel closes: every step looks first.
final class OriginDelivery {
    /// The time between the last byte and a reset, for the client to read what the reset may overtake.
    private static let graceBeforeReset = TimeAmount.milliseconds(10)

    private let plan: OriginPlan
    private let channel: any Channel
    private let pace: OriginPace?
    private let whenSent: () -> Void
    private var body: OriginBody
    private var gate: OriginGate?
    private var nextSlice = NIODeadline.now()

    /// - Parameter whenSent: Called when the last byte has gone out; never if the response falls silent.
    init(_ plan: OriginPlan, to channel: any Channel, whenSent: @escaping () -> Void) {
        self.plan = plan
        self.channel = channel
        self.pace = plan.response.bandwidth.map(OriginPace.init)
        self.whenSent = whenSent
        self.body = plan.body
        self.gate = plan.response.gate
    }

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

    /// Takes the next step after the head: the gate, the end or a slice.
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

    /// Where in the body the gate stands, while it is not passed.
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

/// How fast a body goes out: so many bytes, at such an interval.
struct OriginPace {
    /// The bytes of a slice.
    let slice: Int

    /// The time a slice takes.
    let interval: TimeAmount

    /// - Parameter bandwidth: The bytes a second, at least 1.
    init(bandwidth: Int) {
        let bandwidth = max(1, bandwidth)
        // 10 ms, but for bodies so slow that not a byte is due in 10 ms.
        slice = max(1, bandwidth / 100)
        interval = .nanoseconds(Int64(Double(slice) / Double(bandwidth) * 1e9))
    }
}
