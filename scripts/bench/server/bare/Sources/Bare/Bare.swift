import Foundation
import Hummingbird
import Logging

/// Sends the bytes of a file, which it reads once, to everyone who asks for `/`.
@main struct Bare {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let port = environment["BARE_PORT"].flatMap(Int.init), let path = environment["BARE_FILE"] else {
            print("BARE_PORT and BARE_FILE are missing")
            exit(2)
        }
        let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: path)))
        let router = Router()
        router.get("/") { _, _ in
            Response(status: .ok, headers: [.contentType: "image/jpeg"], body: .init(byteBuffer: bytes))
        }
        var logger = Logger(label: "bare")
        logger.logLevel = .error
        try await Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger
        ).runService()
    }
}
