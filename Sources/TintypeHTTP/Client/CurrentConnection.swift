import NIOCore

/// The connection of a client over which something is coming at this moment. To be used on its event loop.
final class CurrentConnection: Sendable {
    let loop: any EventLoop
    private let box: NIOLoopBoundBox<ConnectionFacts?>

    init(_ loop: any EventLoop) {
        self.loop = loop
        box = .makeEmptyBox(eventLoop: loop)
    }

    var facts: ConnectionFacts? { box.value }

    func during(_ connection: ConnectionFacts, _ body: () -> Void) {
        let before = box.value
        box.value = connection
        body()
        box.value = before
    }

    /// Puts a probe into the pipeline of a new connection.
    func probe(_ channel: any Channel, ready: Duration) throws {
        try channel.pipeline.syncOperations.addHandler(ConnectionProbe(self, ready: ready), position: .first)
    }
}
