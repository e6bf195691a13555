import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype

// The code of Isolation.md. `DocumentCodeTests` compares the two.

/// Returns the pipeline of a server that loads URLs of its users.
func makeServerPipeline(cachingIn directory: URL) -> ImagePipeline {
    var downloader = DownloaderConfiguration()
    downloader.serverGuard = .standard  // public addresses, HTTP and HTTPS, the ports 80 and 443
    downloader.proxy = .direct  // a proxy would resolve names itself
    downloader.acceptableContentTypes = ["image/*"]
    downloader.maximumRedirects = 3
    downloader.totalTimeout = .seconds(30)
    let memory = MemoryCache(limits: CacheLimits(cost: 256 << 20))
    let disk = DiskCache(directory: directory, limits: DiskLimits(byteCount: 10_000_000_000))
    var configuration = PipelineConfiguration.standard(downloader: downloader, memory: memory, disk: disk)
    configuration.maximumByteCount = 20 << 20
    configuration.decodeLimits.pixels = 50_000_000
    configuration.decodeLimits.time = .seconds(10)
    return ImagePipeline(configuration)
}

/// `Isolation.md` names every limit.
@Suite(.timeLimited) struct SecurityDocumentTests {
    private let document: String

    init() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        document = try String(
            contentsOf: root.appending(path: "Sources/Tintype/Tintype.docc/Isolation.md"), encoding: .utf8)
    }

    @Test func theServersPipelineRefusesLocalFiles() async throws {
        let pipeline = makeServerPipeline(cachingIn: FileManager.default.temporaryDirectory.appending(path: "unused"))
        await expectError(.forbidden) {
            try await pipeline.image(for: URL(filePath: "/etc/passwd"))
        }
    }

    @Test func everyDecodeLimitIsNamed() {
        for name in Mirror(reflecting: DecodeLimits()).children.compactMap(\.label) {
            #expect(document.contains("| `\(name)`") || document.contains(", `\(name)`"), "\(name)")
        }
    }

    @Test func everyLimitOfTransfersIsNamed() {
        for name in Mirror(reflecting: DownloaderConfiguration()).children.compactMap(\.label)
        where ["imum", "Timeout", "Host"].contains(where: name.contains) && !name.contains("ProgressInterval")
            && !name.contains("Certificates")
        {
            #expect(document.contains("`\(name)`"), "\(name)")
        }
    }
}
