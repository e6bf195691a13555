import Foundation
import HostileDecoders
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSandbox

/// Decoders that misbehave in a worker: each fails its own image, and the next one succeeds.
@Suite(.timeLimited, .needsRestrictions) struct HostileDecoderTests {
    static let coders = ImageCoderRegistry(decoders: [HostileDecoder()]).sandboxed()

    static func decode(
        _ behavior: HostileDecoder.Behavior, time: Duration = .seconds(30),
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) -> Image {
        let bytes = HostileDecoder.bytes(behavior)
        var context = DecodeContext(isCancelled: isCancelled)
        context.limits.memoryBytes = 128 << 20
        context.limits.time = time
        return try coders.decoder(for: bytes).decode(bytes, context: context)
    }

    /// What each decoder fails with.
    static let crashes: [HostileDecoder.Behavior] = [
        .crash, .abort, .trap, .overflowStack, .writeGarbage, .lieAboutSize, .listFrames, .closeSocket, .exit, .fork,
        .execute, .createFile, .connect, .trace, .makeMemory, .signalHost, .closeLifeline,
    ]

    @Test(arguments: crashes) func aDecoderThatMisbehavesFailsOnlyItsImage(
        _ behavior: HostileDecoder.Behavior
    ) throws {
        let error = #expect(throws: TintypeError.self) { try Self.decode(behavior) }
        #expect(error?.code == .decoderCrashed, "\(String(describing: error))")
        #expect(try Self.decode(.good).size == PixelSize(width: 2, height: 2))
    }

    @Test(arguments: [HostileDecoder.Behavior.loop, .announce]) func aDecoderThatNeverEndsIsKilled(
        _ behavior: HostileDecoder.Behavior
    ) throws {
        let error = expectError(.limitExceeded) { try Self.decode(behavior, time: .milliseconds(500)) }
        #expect(error?.limit == .time)
        #expect(try Self.decode(.good).pixels[0, 0] == Pixel(red: 255, green: 0, blue: 0))
    }

    @Test func aDecoderThatHoardsMemoryIsKilled() throws {
        let error = #expect(throws: TintypeError.self) { try Self.decode(.hoard) }
        #expect(error?.limit == .memoryBytes, "\(String(describing: error))")
    }

    @Test func aDecoderThatHoardsBitmapsRunsOutOfMemory() throws {
        let error = #expect(throws: TintypeError.self) { try Self.decode(.hoardPixels) }
        #expect(error?.code == .outOfMemory || error?.limit == .memoryBytes, "\(String(describing: error))")
    }

    @Test func aDecoderThatStartsThousandsOfThreadsIsKilled() throws {
        let error = #expect(throws: TintypeError.self) { try Self.decode(.startThreads) }
        #expect(error?.code == .decoderCrashed, "\(String(describing: error))")
        #expect(error?.message.contains("threads") == true)
    }

    /// What a decoder is refused without being ended.
    static let refusals: [HostileDecoder.Behavior] = [
        .readFile, .listFolder, .mapShared, .mapGrowing, .remapStack, .mapAddresses, .disarmLifeline,
        .abuseStandardError,
    ]

    @Test(arguments: refusals) func aDecoderIsRefused(_ behavior: HostileDecoder.Behavior) throws {
        let error = #expect(throws: TintypeError.self) { try Self.decode(behavior) }
        #expect(
            error?.code == .undecodable && error?.message.contains("cannot be") == true, "\(String(describing: error))")
    }

    @Test func variablesOfTheHostAreSecret() async {
        await #expect(processExitsWith: .success) {
            setenv("HOSTILE_SECRET", "secret", 1)
            // The server has its keys in variables of its own.
            setenv("TINTYPE_KEY", "736563726574", 1)
            let error = #expect(throws: TintypeError.self) { try Self.decode(.readEnvironment) }
            #expect(error?.code == .undecodable, "\(String(describing: error))")
        }
    }

    @Test(arguments: [HostileDecoder.Behavior.killHost, .startThread]) func harmlessCallsDoNotEndTheWorker(
        _ behavior: HostileDecoder.Behavior
    ) throws {
        #expect(try Self.decode(behavior).size.width == 2)
    }

    // MARK: Cancellation

    @Test func aDecoderThatChecksForCancellationKeepsItsWorker() throws {
        let pool = WorkerPool(SandboxConfiguration())
        let decoder = SandboxedDecoder(HostileDecoder(), pool)
        _ = try decoder.decode(HostileDecoder.bytes(.good), context: DecodeContext())
        let first = pool.processes
        let checks = Locked(0)
        let context = DecodeContext(isCancelled: {
            checks.withLock { count in
                count += 1
                return count > 2
            }
        })
        expectError(.cancelled) {
            try decoder.decode(HostileDecoder.bytes(.wait), context: context)
        }
        _ = try decoder.decode(HostileDecoder.bytes(.good), context: DecodeContext())
        #expect(first.count == 1 && pool.processes == first)
    }

    @Test func aDecoderThatIgnoresCancellationIsKilled() throws {
        let checks = Locked(0)
        expectError(.cancelled) {
            try Self.decode(.loop) {
                checks.withLock { count in
                    count += 1
                    return count > 2
                }
            }
        }
    }

    // MARK: Animations

    @Test func anAnimationWhoseWorkerDiesIsOpenedAgain() throws {
        let bytes = HostileDecoder.bytes(.good)
        let decoder = try #require(try Self.coders.decoder(for: bytes) as? any AnimatedImageDecoder)
        let frames = try decoder.makeFrameDecoder(bytes, context: DecodeContext())
        #expect(try frames.pixels(of: 0) { false }.size.width == 2)
        expectError(.decoderCrashed) { try frames.pixels(of: 1) { false } }
        // The last frame comes from another worker.
        #expect(try frames.pixels(of: 2) { false }[1, 1] == Pixel(red: 255, green: 0, blue: 0))
    }

    // MARK: What is left

    /// Whether a process exists, be it a zombie.
    private static func exists(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

    private static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static var mappings: Int {
        ((try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? "").split(separator: "\n").filter {
            $0.contains("memfd:tintype")
        }.count
    }

    /// In a process of its own, because other tests open descriptors and mappings at the same time.
    @Test func nothingIsLeftOfManyWorkers() async {
        await #expect(processExitsWith: .success) { try Self.useManyWorkers() }
    }

    /// One image in ten ends its worker.
    private static func useManyWorkers() throws {
        let pool = WorkerPool(SandboxConfiguration())
        let decoder = SandboxedDecoder(HostileDecoder(), pool)
        _ = try decoder.decode(HostileDecoder.bytes(.good), context: DecodeContext())
        pool.endIdleWorkers()
        let (descriptors, mappings) = (descriptors, mappings)
        var processes: Set<pid_t> = []
        for index in 0..<60 {
            if index % 10 == 9 {
                expectError(.decoderCrashed) {
                    try decoder.decode(HostileDecoder.bytes(.crash), context: DecodeContext())
                }
            } else {
                _ = try decoder.decode(HostileDecoder.bytes(.good), context: DecodeContext())
                processes.formUnion(pool.processes)
            }
        }
        pool.endIdleWorkers()
        #expect(pool.workerCount == 0)
        #expect(processes.count == 6 && !processes.contains(where: exists))
        #expect(self.descriptors <= descriptors && self.mappings <= mappings)
    }
}
