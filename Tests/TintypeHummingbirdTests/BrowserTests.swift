#if Server
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

/// The page for development in a real browser: headless Chromium, whose final document the tests read.
@Suite(
    .timeLimited, .serialized, .enabled(if: TestProgram.chromium.path != nil, "chromium is not installed"))
struct BrowserTests {
    /// Opens the page with a form in the fragment, and returns its document and the messages of its console.
    private func open(
        _ server: ServerRun, _ form: [String: String]
    ) async throws -> (document: String, console: String) {
        let fields = form.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        let run = try await TestProgram.chromium.run([
            "--headless=new", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--user-data-dir=profile",
            // Its clock stands still while it loads something.
            "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom",
            "http://127.0.0.1:\(server.port)/#\(fields.joined(separator: "&"))",
        ])
        #expect(run.status == 0)
        let console = run.errors.split(separator: "\n").filter { $0.contains("CONSOLE") }
        return (run.output, console.joined(separator: "\n"))
    }

    private func settings(_ origin: Origin) -> [String: String] {
        ["TINTYPE_DEVELOPMENT": "true", "TINTYPE_ALLOWED_SOURCES": origin.url("/").absoluteString]
    }

    private func withOrigin(_ body: (Origin) async throws -> Void) async throws {
        let origin = try await Origin.start()
        let pixels = try PixelBuffer.drawn(PixelSize(width: 120, height: 60)) { _, _ in
            Pixel(red: 255, green: 0, blue: 0)
        }
        let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        origin.serve("/a b@.png", response: .image(data, type: "image/png"))
        let result: Result<Void, any Error>
        do { result = .success(try await body(origin)) } catch { result = .failure(error) }
        await origin.stop()
        try result.get()
    }

    @Test func theResultIsShownWithItsFacts() async throws {
        try await withOrigin { origin in
            try await ServerRun.run(settings(origin)) { server in
                let source = origin.url("/").absoluteString + "a b@.png"
                let (document, console) = try await open(
                    server, ["source": source, "w": "40", "rt": "fill", "h": "40", "format": "webp", "more": "pd:5"])
                #expect(document.contains("<dt>Size</dt><dd>50 × 50</dd>"))
                #expect(document.contains("<dt>Format</dt><dd>webp</dd>"))
                #expect(document.contains("<dt>From</dt><dd>made</dd>") && document.contains("<dt>Decode</dt>"))
                let path = "/unsigned/rt:fill/w:40/h:40/pd:5/plain/\(origin.url("/").absoluteString)a%20b%40.png@webp"
                #expect(document.contains(path))
                // Everything came from the server, within the policy.
                #expect(console.isEmpty, "\(console)")
            }
        }
    }

    @Test func aProblemIsTold() async throws {
        try await withOrigin { origin in
            try await ServerRun.run(settings(origin)) { server in
                let source = origin.url("/missing.png").absoluteString
                let (document, _) = try await open(server, ["source": source])
                #expect(document.contains("Status 404: ") && document.contains("There is no image."))
            }
        }
    }

    @Test func aSignedServerAsksForItsKey() async throws {
        let settings = [
            "TINTYPE_DEVELOPMENT": "true", "TINTYPE_UNSIGNED": "", "TINTYPE_KEY": "736563726574",
            "TINTYPE_SALT": "68656C6C6F",
        ]
        try await ServerRun.run(settings) { server in
            let (document, console) = try await open(server, ["source": "http://127.0.0.1:9/a.png"])
            #expect(document.contains("Enter the key and the salt in hexadecimal."))
            #expect(!document.contains("736563726574") && console.isEmpty)
        }
    }

    @Test func aServerInProductionHasNoPage() async throws {
        try await ServerRun.run { server in
            let (document, _) = try await open(server, [:])
            #expect(!document.contains("development.js"))
        }
    }
}
#endif
