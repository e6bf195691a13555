import Foundation
import FuzzSupport
import Synchronization

@testable import TintypeTesting

/// A server of HTTP/2 that sends the frames that an input describes.
final class FrameScriptOrigin: FuzzOrigin {
    private let origin: FrameOrigin
    private let script: SharedScript

    private final class SharedScript: Sendable {
        let value = Mutex(FrameScript())
    }

    /// Starts the server.
    ///
    /// - Parameter path: The path of a file with a key and its certificate in PEM format.
    init(identity path: String) async throws {
        let pem = try String(contentsOfFile: path, encoding: .utf8)
        let script = SharedScript()
        self.script = script
        origin = try await FrameOrigin.start(
            OriginIdentity(certificates: pem, key: pem), opening: { script.value.withLock { $0.opening() } },
            answer: { _ in script.value.withLock { $0.answer() } })
    }

    var url: URL { origin.baseURL }

    func begin(_ input: inout FuzzInput) {
        let script = FrameScript(&input)
        self.script.value.withLock { $0 = script }
    }

    func behave() {
        script.value.withLock { $0 = FrameScript() }
    }

    func end() async { await origin.closeConnections() }
}
