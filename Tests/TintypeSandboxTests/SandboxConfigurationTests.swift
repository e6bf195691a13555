import Foundation
import HostileDecoders
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSandbox

/// The settings of a sandbox.
@Suite(.timeLimited) struct SandboxConfigurationTests {
    private func decode(
        _ behavior: HostileDecoder.Behavior, _ configuration: SandboxConfiguration
    ) throws(TintypeError) -> Image {
        let coders = ImageCoderRegistry(decoders: [HostileDecoder()]).sandboxed(configuration)
        let bytes = HostileDecoder.bytes(behavior)
        return try coders.decoder(for: bytes).decode(bytes, context: DecodeContext())
    }

    /// Without Landlock, the filter of system calls keeps a decoder from files.
    @Test(.needsRestrictions, arguments: 0...7) func olderKernelsRestrictFilesToo(_ version: Int) throws {
        var configuration = SandboxConfiguration()
        configuration.landlockVersion = version
        #expect(try decode(.good, configuration).size.width == 2)
        expectError(.undecodable) { try decode(.readFile, configuration) }
        #expect(#expect(throws: TintypeError.self) { try decode(.createFile, configuration) }?.code == .decoderCrashed)
    }

    @Test(.needsRestrictions) func aStrictSandboxNeedsEverything() throws {
        var configuration = SandboxConfiguration()
        (configuration.landlockVersion, configuration.isStrict) = (0, true)
        let error = expectError(.noWorker) { try decode(.good, configuration) }
        #expect(error?.message.contains("no Landlock") == true)
        configuration.landlockVersion = nil
        if try SandboxStatus.probe().isComplete { #expect(try decode(.good, configuration).size.width == 2) }
    }

    @Test(arguments: ["/bin/true", "/nonexistent", "/bin/cat"]) func anExecutableThatIsNoWorkerIsAnError(
        _ path: String
    ) throws {
        let error = expectError(.noWorker) {
            try decode(.good, SandboxConfiguration(.standard, executable: path))
        }
        #expect(error?.message.contains("SandboxConfiguration.executable") == true)
    }

    @Test func aPolicySelectsTheDecoders() throws {
        let plain = ImageCoderRegistry(decoders: [HostileDecoder()])
        let bytes = HostileDecoder.bytes(.good)
        for policy in [SandboxPolicy.standard, .all] {
            #expect(try plain.sandboxed(SandboxConfiguration(policy)).decoder(for: bytes) is SandboxedDecoder)
        }
        #expect(try plain.sandboxed(SandboxConfiguration(.none)).decoder(for: bytes) is HostileDecoder)
        // A later policy replaces the former one.
        #expect(try plain.sandboxed().sandboxed(SandboxConfiguration(.none)).decoder(for: bytes) is HostileDecoder)
    }

    @Test func aWorkerIsReplacedAfterANumberOfImages() throws {
        var configuration = SandboxConfiguration()
        configuration.imagesPerWorker = 2
        let pool = WorkerPool(configuration)
        let decoder = SandboxedDecoder(HostileDecoder(), pool)
        for count in [1, 0, 1, 0] {
            _ = try decoder.decode(HostileDecoder.bytes(.good), context: DecodeContext())
            #expect(pool.workerCount == count)
        }
    }
}
