import Foundation
import HostileDecoders
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSandbox

/// Decoders in a worker that do without what they are refused.
@Suite(.timeLimited, .needsRestrictions) struct CarelessDecoderTests {
    private static let decoder = SandboxedDecoder(CarelessDecoder(), WorkerPool(SandboxConfiguration()))

    private static func decode(_ behavior: CarelessDecoder.Behavior, _ tolerance: DecodeOptions.DamageTolerance) throws
        -> Image
    {
        var context = DecodeContext()
        context.options.damageTolerance = tolerance
        return try decoder.decode(CarelessDecoder.bytes(behavior), context: context)
    }

    @Test func aFileThatIsMissedAfterTheDecodeIsNoSilentLoss() throws {
        let error = expectError(.undecodable) { try Self.decode(.missesFileLate, .none) }
        #expect(error?.message.contains("/etc/hostname") == true)
        #expect(try Self.decode(.missesFileLate, .minor).info.warnings == [.missingFile])
        #expect(try Self.decode(.plain, .none).info.warnings.isEmpty)
    }

    @Test func aFileThatIsMissedInAFrameIsNoSilentLoss() throws {
        let bytes = CarelessDecoder.bytes(.missesFileInFrame)
        let frames = try Self.decoder.makeFrameDecoder(bytes, context: DecodeContext())
        #expect(try frames.pixels(of: 0) { false }.size.width == 2)
        let error = expectError(.undecodable) { try frames.pixels(of: 1) { false } }
        #expect(error?.message.contains("/etc/hostname") == true)
    }

    /// Otherwise, a worker that asks for memory again and again would never reach the limit.
    @Test func theLimitOfProcessorTimeIsSetOncePerRequest() throws {
        let pool = WorkerPool(SandboxConfiguration())
        var context = DecodeContext()
        context.limits.time = .seconds(30)
        _ = try SandboxedDecoder(CarelessDecoder(), pool).decode(
            CarelessDecoder.bytes(.spendsSecond), context: context)
        let worker = try #require(pool.processes.first)
        let limits = try String(contentsOfFile: "/proc/\(worker)/limits", encoding: .utf8)
        let processor = limits.split(separator: "\n").first { $0.hasPrefix("Max cpu time") }
        // The second that began when the request came, and twice the time limit, and two.
        #expect(processor?.split(separator: " ").dropFirst(3).first == "63", "\(limits)")
    }

    @Test func anXMPPacketBeyondTheLimitIsNone() throws {
        #expect(try Self.decoder.xmp(of: CarelessDecoder.bytes(.plain), DecodeLimits()) == nil)
        #expect(try CarelessDecoder().xmp(of: CarelessDecoder.bytes(.plain), DecodeLimits()) != nil)
    }
}
