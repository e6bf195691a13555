import Foundation
import TintypeTesting

/// The origin of a run, which is a process of its own: its memory and its descriptors are not those of the loads.
struct FaultOrigin {
    let seed: UInt64
    let count: Int

    /// Prints the URL of the origin, and answers until standard input ends.
    func serveUntilInputEnds() async throws {
        let (origin, closed) = (try await Origin.start(), try ClosedPort())
        let closedPort = try closed.url.port ?? 1
        for number in 0..<count {
            let image = OriginResponse.image(try FaultImage(number: number).png(), type: "image/png")
            let faulty = FaultCase(number: number, seed: seed)
            let response = try faulty.response(closedPort: closedPort)
            origin.serve(faulty.path) { request in
                faulty.isResumable ? (try? faulty.resumableResponse(to: request)) ?? .status(500) : response
            }
            guard faulty.fault == .redirect else { continue }
            origin.serve("/image/\(number)", response: image)
            origin.serve("/hop/\(number)", response: .redirect(to: "/image/\(number)"))
        }
        print(origin.baseURL.absoluteString)
        fflush(nil)
        let forgetting = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { origin.forgetRequests() }
        }
        await Task.detached { while readLine() != nil {} }.value
        forgetting.cancel()
        withExtendedLifetime(closed) {}
    }
}

/// The process of an origin.
final class FaultOriginProcess {
    let url: URL
    private let process = Process()
    private let input = Pipe()

    /// Starts the process, and waits for the URL that it prints.
    init(seed: UInt64, count: Int) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["origin", "\(seed)", "\(count)"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) { line += byte }
        guard let url = URL(string: String(decoding: line, as: UTF8.self)) else { throw POSIXError(.EPIPE) }
        self.url = url
    }

    /// Ends the process.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
