package import Foundation

/// One connection of an origin. It reads requests and answers them in order.
package final class OriginConnection: ConnectionHandler {
    private let ledger: OriginLedger
    private var parser = OriginRequestParser()

    /// The responses to pipelined requests, which wait for the current one.
    private var queue: [OriginPlan] = []

    /// The response being sent, or `nil` between responses.
    private var delivery: OriginDelivery?

    package init(ledger: OriginLedger) {
        self.ledger = ledger
    }

    package func opened(_ connection: SocketConnection) {
        ledger.opened()
    }

    package func received(_ bytes: Data, on connection: SocketConnection) {
        parser.append(bytes)
        do throws(OriginRequestParser.SyntaxError) {
            while connection.isOpen, let (request, keepsAlive) = try parser.next() {
                answer(request, keepsAlive: keepsAlive, on: connection)
            }
        } catch {
            connection.close()
        }
    }

    package func closed(_ connection: SocketConnection) {
        ledger.closed(isEarly: delivery != nil)
        delivery = nil
        queue = []
    }

    private func answer(_ request: OriginRequest, keepsAlive: Bool, on connection: SocketConnection) {
        let response = ledger.answer(request)
        queue.append(OriginPlan(response, isHead: request.method == "HEAD", keepsAlive: keepsAlive))
        if delivery == nil { startNextDelivery(on: connection) }
    }

    private func startNextDelivery(on connection: SocketConnection) {
        guard !queue.isEmpty else { return }
        let plan = queue.removeFirst()
        let delivery = OriginDelivery(plan, to: connection) { self.conclude(plan.conclusion, on: connection) }
        self.delivery = delivery
        delivery.start()
    }

    private func conclude(_ conclusion: OriginPlan.Conclusion, on connection: SocketConnection) {
        delivery = nil
        switch conclusion {
        case .keepAlive: startNextDelivery(on: connection)
        case .close: connection.close()
        case .reset: connection.reset()
        case .silence: break
        }
    }
}
