#if Server
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

/// The example of a web service on the pipeline.
@Suite(.timeLimited, .enabled(if: TestProgram.curl.path != nil, "curl is not installed"))
struct ImageServiceExampleTests {
    /// Asks the service for a path, and returns the status, the content type and the body.
    private func get(
        _ path: String, _ server: ServerRun, accept: String = "*/*"
    ) async throws -> (head: String, body: Data) {
        let file = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try await TestProgram.curl.run([
            "-sS", "--noproxy", "*", "--path-as-is", "-H", "Accept: \(accept)", "-o", file.path(percentEncoded: false),
            "-w", "%{http_code} %{content_type}", "http://127.0.0.1:\(server.port)\(path)",
        ])
        return (run.output, (try? Data(contentsOf: file)) ?? Data())
    }

    @Test func thumbnailsAreMadeOfTheImagesInAFolder() async throws {
        try await ServerRun.run({ port, folder in
            let pixels = try PixelBuffer.drawn(PixelSize(width: 120, height: 60)) { _, _ in
                Pixel(red: 255, green: 0, blue: 0)
            }
            let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
            try data.write(to: folder.appending(path: "a b.png"))
            try Data("no image".utf8).write(to: folder.appending(path: "text.png"))
            return ServerRun.Launch(
                program: "ImageService", arguments: [folder.path(percentEncoded: false), "\(port)"],
                environment: ["HOME": folder.path(percentEncoded: false), "PATH": "/usr/bin:/bin"],
                readyLine: "Server started and listening on")
        }) { server in
            for (accept, type) in [("*/*", "image/jpeg"), ("image/webp,*/*", "image/webp")] {
                let (head, body) = try await get("/40/a%20b.png", server, accept: accept)
                #expect(head == "200 \(type)")
                let info = try #require(try ImageCoderRegistry.standard.info(of: body))
                #expect(info.size == PixelSize(width: 40, height: 20) && info.format.mediaType == type)
            }
            for (path, status) in [
                ("/40/b.png", "404"), ("/40/text.png", "422"), ("/0/a%20b.png", "400"), ("/40/..%2Fa.png", "400"),
                ("/x/a%20b.png", "400"), ("/40/.hidden", "400"),
            ] {
                let (head, _) = try await get(path, server)
                #expect(head.hasPrefix(status), "\(path)")
            }
        }
    }
}
#endif
