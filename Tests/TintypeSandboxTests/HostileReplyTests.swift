import Foundation
import HostileDecoders
import TestSupport
import Testing
import TintypeCore

@testable import TintypeSandbox

/// Replies of a worker that an image has taken over. The worker is a thread that sends them without reading a request.
@Suite(.timeLimited) struct HostileReplyTests {
    /// A pool of one worker, and what the worker has received.
    private final class Connection: Sendable {
        let worker = Locked<WorkerProcess?>(nil)
        let grants = Locked<[Int]>([])
        let ended = DispatchSemaphore(value: 0)

        /// - Parameters:
        ///   - messages: What the worker sends: the first after the request, each of the others after a grant.
        ///   - early: What it sends before the request.
        func makePool(sending messages: [[UInt8]], early: [UInt8] = []) -> WorkerPool {
            WorkerPool(SandboxConfiguration()) { [self] (start) throws(TintypeError) in
                guard let ends = WorkerSocket.pair() else { throw .cancelled }
                var ready = WireWriter()
                ready.write(WorkerReady(landlockVersion: 7, isFiltered: true, dataBytes: 0))
                _ = WorkerSocket(descriptor: ends.worker).send(WorkerMessageKind.ready.rawValue, ready.bytes)
                _ = early.withUnsafeBytes { write(ends.worker, $0.baseAddress, $0.count) }
                Thread.detachNewThread { [self] in serve(WorkerSocket(descriptor: ends.worker), messages) }
                let process = try WorkerProcess(connected: ends.host, start)
                worker.withLock { $0 = process }
                return process
            }
        }

        private func serve(_ socket: WorkerSocket, _ messages: [[UInt8]]) {
            var messages = messages[...]
            while let message = socket.receive(acceptsDescriptor: true) {
                if message.descriptor >= 0 { close(message.descriptor) }
                var reader = WireReader(message.body)
                switch HostMessageKind(rawValue: message.kind) {
                case .request: break
                case .grant:
                    if let number = try? reader.anyInt(), number > 0 { grants.withLock { $0.append(number) } }
                default: continue
                }
                _ = messages.popFirst()?.withUnsafeBytes { write(socket.descriptor, $0.baseAddress, $0.count) }
            }
            close(socket.descriptor)
            ended.signal()
        }

        /// The blocks that the host has returned since the last call.
        func returned() -> [Int] { worker.withLock { $0 }?.returned.take() ?? [] }
    }

    private static func message(_ kind: WorkerMessageKind, _ write: (inout WireWriter) -> Void) -> [UInt8] {
        var (body, header) = (WireWriter(), WireWriter())
        write(&body)
        header.write(UInt32(body.bytes.count))
        header.write(kind.rawValue)
        return header.bytes + body.bytes
    }

    private static func reply(_ result: WorkerReply.Result) -> [UInt8] {
        message(.reply) { $0.write(WorkerReply(result: result)) }
    }

    private static func need(_ byteCount: Int) -> [UInt8] { message(.need) { $0.write(byteCount) } }

    private static func image(
        _ pixels: WorkerPixels = .inline(PixelSize(width: 1, height: 1), Data(count: 64)),
        format: ImageFormat = .hostile, canvas: PixelSize? = nil, frameCount: Int = 2, durations: [Double] = [],
        exif: Data? = nil
    ) -> WorkerImage {
        let size = canvas ?? pixels.size
        var image = WorkerImage(
            info: ImageInfo(format: format, size: size, frameCount: frameCount, durations: durations), pixels: pixels)
        image.exif = exif
        if canvas != nil {
            let rect = PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
            image.frames = WorkerFrames(
                handle: 1, canvasSize: size, loopCount: 0,
                frames: [AnimationFrame](repeating: AnimationFrame(rect: rect, duration: 1), count: frameCount))
        }
        return image
    }

    private static func decode(
        _ messages: [UInt8]..., early: [UInt8] = [], from connection: Connection = Connection(),
        _ change: (inout DecodeContext) -> Void = { _ in }
    ) throws(TintypeError) -> Image {
        let decoder = SandboxedDecoder(HostileDecoder(), connection.makePool(sending: messages, early: early))
        var context = DecodeContext()
        change(&context)
        return try decoder.decode(HostileDecoder.bytes(.good), context: context)
    }

    // MARK: Limits

    @Test func anHonestReplyIsAnImage() throws {
        #expect(try Self.decode(Self.reply(.image(Self.image()))).size == PixelSize(width: 1, height: 1))
        let canvas = PixelSize(width: 3, height: 3)
        #expect(try Self.decode(Self.reply(.image(Self.image(canvas: canvas)))).animation?.frameCount == 2)
    }

    /// A canvas of 70,000 pixels a side has 20 GB.
    @Test func aCanvasHasLimits() throws {
        let image = Self.image(canvas: PixelSize(width: 70_000, height: 70_000))
        let frames = try #require(image.frames)
        #expect(#expect(throws: TintypeError.self) { try Self.decode(Self.reply(.image(image))) }?.limit == .side)
        let decoder = SandboxedDecoder(
            HostileDecoder(), Connection().makePool(sending: [Self.reply(.frames(frames, nil))]))
        let error = expectError(.limitExceeded) {
            try decoder.makeFrameDecoder(HostileDecoder.bytes(.good), context: DecodeContext())
        }
        #expect(error?.limit == .side)
    }

    @Test func framesHaveLimits() {
        let image = Self.image(canvas: PixelSize(width: 1000, height: 1000), frameCount: 11)
        let tooMany = expectError(.limitExceeded) {
            try Self.decode(Self.reply(.image(image))) { $0.limits.frames = 10 }
        }
        #expect(tooMany?.limit == .frames)
        let tooLarge = expectError(.limitExceeded) {
            try Self.decode(Self.reply(.image(image))) { $0.limits.animatedPixels = 10_000_000 }
        }
        #expect(tooLarge?.limit == .animatedPixels)
    }

    @Test func exifHasALimit() {
        let image = Self.image(exif: Data(count: 11))
        let error = expectError(.limitExceeded) {
            try Self.decode(Self.reply(.image(image))) { $0.limits.exifBytes = 10 }
        }
        #expect(error?.limit == .exifBytes)
    }

    @Test func anotherFormatIsAViolation() {
        let image = Self.image(format: .png)
        let error = expectError(.decoderCrashed) { try Self.decode(Self.reply(.image(image))) }
        #expect(error?.message.contains("format") == true)
    }

    @Test func moreDurationsThanFramesAreAViolation() {
        let image = Self.image(durations: [1, 1, 1])
        expectError(.decoderCrashed) { try Self.decode(Self.reply(.image(image))) }
    }

    // MARK: Time

    /// The whole reply is there, but the time is over.
    @Test func theTimeIsCheckedWhileBytesAreReady() {
        let messages = Self.need(1 << 40) + Self.reply(.image(Self.image()))
        let error = expectError(.limitExceeded) { try Self.decode(early: messages) { $0.limits.time = .zero } }
        #expect(error?.limit == .time)
    }

    @Test func aMessageIsInterruptedWhileItsBytesAreReady() throws {
        let ends = try #require(WorkerSocket.pair())
        defer {
            close(ends.host)
            close(ends.worker)
        }
        let isSent = WorkerSocket(descriptor: ends.worker).send(1, [1, 2, 3])
        #expect(isSent)
        var count = 0
        let message = WorkerSocket(descriptor: ends.host).receive(mayContinue: {
            count += 1
            return count < 2
        })
        #expect(message == nil && count == 2)
    }

    /// A worker that never answers, and a load that nobody waits for any more.
    @Test func openingFramesCanBeCancelled() {
        let decoder = SandboxedDecoder(HostileDecoder(), Connection().makePool(sending: []))
        var context = DecodeContext()
        context.limits.time = .seconds(10)
        let checks = Locked(0)
        let load = TransformContext(isCancelled: {
            checks.withLock { count in
                count += 1
                return count > 3
            }
        })
        expectError(.cancelled) {
            try load.run { () throws(TintypeError) in
                _ = try decoder.makeFrameDecoder(HostileDecoder.bytes(.good), context: context)
            }
        }
    }

    /// A program that is no worker and never ends.
    @Test func startingAWorkerCanBeCancelled() {
        let pool = WorkerPool(SandboxConfiguration(executable: "/usr/bin/yes"))
        let start = ContinuousClock.now
        expectError(.cancelled) {
            try SandboxedDecoder(HostileDecoder(), pool).decode(
                HostileDecoder.bytes(.good),
                context: DecodeContext(isCancelled: { ContinuousClock.now - start > .milliseconds(100) }))
        }
        #expect(pool.workerCount == 0)
    }

    // MARK: Memory

    @Test func tinyBlocksAreAViolation() {
        expectError(.decoderCrashed) {
            try Self.decode(Self.need(1), Self.reply(.image(Self.image())))
        }
    }

    @Test func aWorkerGetsAFewHundredBlocks() throws {
        let connection = Connection()
        let needs = [[UInt8]](repeating: Self.need(64 << 10), count: 300)
        let pool = connection.makePool(sending: needs + [Self.reply(.image(Self.image()))])
        _ = try SandboxedDecoder(HostileDecoder(), pool).decode(
            HostileDecoder.bytes(.good), context: DecodeContext())
        connection.worker.withLock { $0 }?.end()
        connection.ended.wait()
        #expect(connection.grants.withLock { $0.count } == 256)
    }

    /// The second image shares a large block with nothing.
    @Test(arguments: [1 << 20, 16 << 20]) func pixelsAreCopiedOutOfLargeBlocks(_ byteCount: Int) throws {
        let connection = Connection()
        let pixels = WorkerPixels.block(PixelSize(width: 512, height: 512), 1)
        let image = try Self.decode(
            Self.need(byteCount), Self.reply(.image(Self.image(pixels))), from: connection)
        #expect(image.size == PixelSize(width: 512, height: 512))
        #expect(connection.returned() == (byteCount == 1 << 20 ? [] : [1]))
        withExtendedLifetime(image) {}
    }

    /// Frames that are opened again by a salvage come with pixels, which go back.
    @Test func pixelsThatAreNotUsedGoBack() throws {
        let connection = Connection()
        let pixels = WorkerPixels.block(PixelSize(width: 512, height: 512), 1)
        let image = Self.image(pixels, canvas: PixelSize(width: 512, height: 512))
        let messages = [Self.need(1 << 20), Self.reply(.image(image))]
        let decoder = SandboxedDecoder(HostileDecoder(), connection.makePool(sending: messages))
        let frames = try decoder.openFrames(HostileDecoder.bytes(.good), DecodeContext(), .salvage)
        #expect(frames.frames.count == 2 && connection.returned() == [1])
    }

    @Test func aWorkerThatReleasesNothingIsReplaced() throws {
        let messages = Self.reply(.image(Self.image()))
        for (byteCount, workerCount) in [(30_000, 1), (1 << 20, 0)] {
            let pool = Connection().makePool(sending: [messages])
            var context = DecodeContext()
            context.limits.memoryBytes = 100_000
            _ = try SandboxedDecoder(HostileDecoder(), pool).decode(Data(count: byteCount), context: context)
            #expect(pool.workerCount == workerCount)
        }
    }
}
