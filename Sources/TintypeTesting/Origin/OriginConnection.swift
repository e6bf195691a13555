import Foundation
import NIOCore
import NIOHTTP1

/// One connection of an origin. It reads requests and answers them in order.
final class OriginConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let ledger: OriginLedger
    private var head: HTTPRequestHead?
    private var body = Data()

    /// The responses to pipelined requests, which wait for the current one.
    private var queue: [OriginPlan] = []

    /// The response being sent, or `nil` between responses.
    private var delivery: OriginDelivery?

    init(ledger: OriginLedger) {
        self.ledger = ledger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = Data()
        case .body(let bytes):
            body.append(contentsOf: bytes.readableBytesView)
        case .end:
            answerRequest(on: context.channel)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if delivery != nil { ledger.clientHungUp() }
        delivery = nil
        queue = []
        context.fireChannelInactive()
    }

    /// Called for bytes that are not HTTP, or a connection reset.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answerRequest(on channel: any Channel) {
        guard let head else { return }
        let response = ledger.answer(OriginRequest(head: head, body: body))
        queue.append(OriginPlan(response, isHead: head.method == .HEAD, keepsAlive: head.isKeepAlive))
        if delivery == nil { startNextDelivery(on: channel) }
    }

    private func startNextDelivery(on channel: any Channel) {
        guard !queue.isEmpty else { return }
        let plan = queue.removeFirst()
        let delivery = OriginDelivery(plan, to: channel) { self.conclude(plan.conclusion, on: channel) }
        self.delivery = delivery
        delivery.start()
    }

    private func conclude(_ conclusion: OriginPlan.Conclusion, on channel: any Channel) {
        delivery = nil
        switch conclusion {
        case .keepAlive: startNextDelivery(on: channel)
        case .close: channel.close(promise: nil)
        case .reset: Self.reset(channel)
        case .silence: break
        }
    }

    /// Closes a connection with a TCP reset, by setting `SO_LINGER` to zero.
    private static func reset(_ channel: any Channel) {
        let sockets = channel as? any SocketOptionProvider
        sockets?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
    }
}
