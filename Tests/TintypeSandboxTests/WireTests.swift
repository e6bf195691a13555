import Foundation
import Testing
import TintypeCore

@testable import TintypeSandbox

/// The messages between the host and its workers.
@Suite struct WireTests {
    private static let request: WorkerRequest = {
        var options = DecodeOptions(
            crop: PixelRect(x: -3, y: 4, size: PixelSize(width: 5, height: 6)),
            size: .cover(PixelSize(width: 7, height: 8)), frames: .animatedOnly, range: .high, scale: 2.5,
            keepsExif: true, embeddedThumbnail: .whereLargeEnough)
        (options.page, options.damageTolerance, options.allowsPartial) = (9, .none, true)
        var limits = DecodeLimits(pixels: 1, side: 2, frames: 3, scans: 4, animatedPixels: 5, profileBytes: 6)
        (limits.memoryBytes, limits.time) = (7, .milliseconds(1500))
        var request = WorkerRequest(operation: .frame(12, index: 34))
        (request.decoder, request.context) = ("decoder", DecodeContext(options: options, limits: limits))
        request.bytes = .block(3, capacity: 4096, count: 17)
        (request.returnedBlocks, request.droppedInputs, request.closedHandles) = ([1, 2], [3], [4, 5])
        return request
    }()

    private static func bytes(_ request: WorkerRequest) -> [UInt8] {
        var writer = WireWriter()
        writer.write(request)
        return writer.bytes
    }

    @Test func aRequestArrivesAsItWasSent() throws {
        var reader = WireReader(Self.bytes(Self.request))
        let read = try reader.request()
        try reader.finish()
        #expect(read.operation == Self.request.operation && read.decoder == "decoder")
        #expect(read.context.options == Self.request.context.options)
        #expect(read.context.limits == Self.request.context.limits)
        #expect(read.bytes == Self.request.bytes && read.returnedBlocks == [1, 2])
        #expect(read.droppedInputs == [3] && read.closedHandles == [4, 5])
    }

    @Test(arguments: [
        DecodeOptions.Size.full, .fit(PixelSize(width: 1, height: 0)), .shrink(PixelSize(width: 2, height: 3)),
        .atMost(bytes: 99), .noPixels,
    ])
    func everySizeArrives(_ size: DecodeOptions.Size) throws {
        var request = Self.request
        request.context.options.size = size
        var reader = WireReader(Self.bytes(request))
        #expect(try reader.request().context.options.size == size)
    }

    private static let image: WorkerImage = {
        var info = ImageInfo(
            format: .gif, size: PixelSize(width: 3, height: 4), orientation: .right, hasAlpha: true, frameCount: 2,
            loopCount: 5, durations: [0.1, 0.2], density: PixelDensity(across: 72, down: 96))
        info.warnings = [.strayBytes, .missingFile]
        (info.bitDepth, info.isHighRange) = (12, true)
        let rect = PixelRect(x: 1, y: -2, size: PixelSize(width: 3, height: 4))
        let frames = [
            AnimationFrame(rect: rect, duration: 0.1, blend: .source, disposal: .previous, hasAlpha: false),
            AnimationFrame(rect: rect, duration: 0.2, disposal: .background),
        ]
        return WorkerImage(
            info: info, pixels: .inline(PixelSize(width: 1, height: 1), Data(count: 64)),
            highRange: .block(PixelSize(width: 2, height: 1), 8), exif: Data([1, 2]), isPartial: true,
            frames: WorkerFrames(
                handle: 7, canvasSize: PixelSize(width: 3, height: 4), loopCount: 5, frames: frames))
    }()

    private static func bytes(_ result: WorkerReply.Result) -> [UInt8] {
        var writer = WireWriter()
        writer.write(WorkerReply(result: result, releasedInputs: [1], droppedBlocks: [2, 3], isLast: true))
        return writer.bytes
    }

    @Test func aReplyArrivesAsItWasSent() throws {
        var reader = WireReader(Self.bytes(.image(Self.image)))
        let reply = try reader.reply()
        try reader.finish()
        #expect(reply.releasedInputs == [1] && reply.droppedBlocks == [2, 3] && reply.isLast)
        guard case .image(let image) = reply.result else { Issue.record("no image"); return }
        #expect(image.info == Self.image.info && image.pixels == Self.image.pixels)
        #expect(image.highRange == Self.image.highRange && image.exif == Self.image.exif && image.isPartial)
        #expect(image.frames?.frames == Self.image.frames?.frames && image.frames?.handle == 7)
    }

    @Test func anErrorArrivesWithItsLimit() throws {
        let error = TintypeError(.limitExceeded, stage: .decode, "too large", underlying: DecodeLimit.pixels)
        var reader = WireReader(Self.bytes(.failure(error)))
        guard case .failure(let read) = try reader.reply().result else { Issue.record("no error"); return }
        #expect(read.code == .limitExceeded && read.limit == .pixels && read.message == "too large")
    }

    /// Every truncation is an error; every changed byte is an error or another message, never a trap.
    @Test(arguments: [0, 1]) func damagedMessagesAreErrors(_ kind: Int) {
        func read(_ bytes: [UInt8]) throws(WireError) {
            var reader = WireReader(bytes)
            if kind == 0 { _ = try reader.request() } else { _ = try reader.reply() }
            try reader.finish()
        }
        let bytes = kind == 0 ? Self.bytes(Self.request) : Self.bytes(.image(Self.image))
        for count in 0..<bytes.count { #expect(throws: WireError.self) { try read(Array(bytes[..<count])) } }
        #expect(throws: WireError.self) { try read(bytes + [0]) }
        var errorCount = 0
        for index in bytes.indices {
            for byte in [0, 1, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = byte
                do { try read(changed) } catch { errorCount += 1 }
            }
        }
        #expect(errorCount > 0)
    }

    /// A count allocates no more than the bytes that are there.
    @Test func aCountIsCheckedAgainstTheMessage() {
        var writer = WireWriter()
        writer.write(Int.max)
        var reader = WireReader(writer.bytes)
        #expect(throws: WireError.self) {
            _ = try reader.array(of: 8) { (reader) throws(WireError) in try reader.anyInt() }
        }
    }
}
