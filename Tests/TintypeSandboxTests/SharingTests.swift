import Foundation
import HostileDecoders
import TestSupport
import Testing
import TintypeCore
import TintypeSandbox
import TintypeTesting

/// Which images of a pipeline share workers. Each image shows whose bytes its worker has seen.
@Suite(.timeLimited) struct SharingTests {
    private static let owners: [UInt8] = [0, 1, 2]
    private static let imagesOfAnOwner: UInt8 = 6

    private static func pipeline(_ sharing: SandboxConfiguration.Sharing) throws -> (ImagePipeline, [ImageRequest]) {
        let loader = FakeLoader()
        var requests: [ImageRequest] = []
        // The owners take turns, so that the pool has to change the owner of its few workers all the time.
        for number in 0..<imagesOfAnOwner {
            for owner in owners {
                let url = try #require(URL(string: "https://owner\(owner).example/\(number)"))
                let request = ImageRequest(url: url)
                loader.setAnswer(
                    .data(RememberingDecoder.bytes(owner: owner, number: number)), for: request.source.identity)
                requests.append(request)
            }
        }
        var sandbox = SandboxConfiguration()
        sandbox.sharing = sharing
        var configuration = PipelineConfiguration()
        configuration.loaders = [loader]
        configuration.coders = ImageCoderRegistry(decoders: [RememberingDecoder()]).sandboxed(sandbox)
        return (ImagePipeline(configuration), requests)
    }

    /// Returns what the workers had seen when they decoded all frames of an image.
    private static func memories(
        _ pipeline: ImagePipeline, _ request: ImageRequest
    ) async throws -> [RememberingDecoder.Memory] {
        let animation = try #require(try await pipeline.image(for: request).animation)
        return try (0..<animation.frameCount).map { RememberingDecoder.memory(in: try animation.frame(at: $0)) }
    }

    /// Loads images of all owners, one after the other and then all at once.
    private static func load(_ sharing: SandboxConfiguration.Sharing) async throws -> [RememberingDecoder.Memory] {
        let (pipeline, requests) = try pipeline(sharing)
        var all: [RememberingDecoder.Memory] = []
        for request in requests.prefix(6) { all += try await memories(pipeline, request) }
        return try await withThrowingTaskGroup(of: [RememberingDecoder.Memory].self) { group in
            for request in requests { group.addTask { try await memories(pipeline, request) } }
            for try await more in group { all += more }
            return all
        }
    }

    @Test func imagesOfAllOriginsShareWorkersByDefault() async throws {
        let memories = try await Self.load(.all)
        #expect(memories.contains { $0.owners > 1 })
    }

    @Test func originsNeverShareAWorker() async throws {
        let memories = try await Self.load(.sameOrigin)
        #expect(memories.allSatisfy { $0.owners == 1 })
    }

    @Test func imagesOfTheSameOriginShareAWorker() async throws {
        let (pipeline, requests) = try Self.pipeline(.sameOrigin)
        var counts: [Int] = []
        for request in stride(from: 0, to: requests.count, by: Self.owners.count).map({ requests[$0] }) {
            counts += try await Self.memories(pipeline, request).map(\.images)
        }
        // Not always all: a worker that was idle for long ends.
        #expect(try #require(counts.max()) > 1)
    }

    @Test func withoutSharingAWorkerSeesOneImage() async throws {
        let memories = try await Self.load(.none)
        #expect(memories.allSatisfy { $0.images == 1 })
    }
}
