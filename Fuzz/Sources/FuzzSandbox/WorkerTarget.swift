import Foundation
import FuzzSupport

@testable import TintypeCore
@testable import TintypeSandbox

/// The host, and a worker that has been taken over and sends what an input says.
///
/// Thrown errors are fine. The sanitizer finds accesses outside of memory that the host has mapped.
struct WorkerTarget {
    private var plan: FuzzInput
    private let worker: HostileWorker
    private let pool: WorkerPool
    private let decoder: SandboxedDecoder

    init(_ input: FuzzInput) {
        var input = input
        let plan = input.take(4)
        self.plan = plan.withUnsafeBytes { FuzzInput($0.bindMemory(to: UInt8.self)) }
        let worker = HostileWorker(input)
        self.worker = worker
        pool = WorkerPool(SandboxConfiguration()) { (start) throws(TintypeError) in try worker.start(start) }
        decoder = SandboxedDecoder(PlainDecoder(), pool)
    }

    /// Does what a pipeline does, in an order that the input chooses.
    func run() {
        var (plan, objects) = (plan, Objects())
        for _ in 0..<4 {
            do throws(TintypeError) {
                try perform(plan.byte(), &objects)
            } catch {
                // The worker was ended, or has sent an error.
            }
        }
        pool.endIdleWorkers()
        worker.end()
        // The memory of delivered images outlives the worker.
        for image in objects.images { read(image.pixels) }
    }

    /// What the operations so far have opened.
    private struct Objects {
        var images: [Image] = []
        var frames: [any FrameDecoder] = []
        var previews: (any IncrementalImageDecoder)?
    }

    private func perform(_ operation: UInt8, _ objects: inout Objects) throws(TintypeError) {
        var context = DecodeContext(options: DecodeOptions(range: .high, keepsExif: true))
        (context.limits.time, context.limits.memoryBytes) = (.seconds(2), 16 << 20)
        context.options.allowsPartial = true
        // Large enough for a block of input memory now and then.
        let bytes = Data(count: operation & 0x80 == 0 ? 16 : 20_000)
        switch operation & 0x7F {
        case 0: _ = try decoder.info(of: bytes, isComplete: false)
        case 1: _ = try decoder.verifiedInfo(of: bytes, context: context)
        case 2: _ = try decoder.xmp(of: bytes, context.limits)
        case 3: try decoder.verifyImages(in: bytes, context: context)
        case 4: if let image = try decoder.salvage(bytes, context: context) { try use(image, &objects) }
        case 5: try play(decoder.makeFrameDecoder(bytes, context: context), &objects)
        case 6:
            if let arrived = try decoder.arrivedFrames(bytes, context: context) { try play(arrived.decoder, &objects) }
        case 7: if let last = objects.frames.last { try play(last, &objects) }
        case 8...15:
            let previews = objects.previews ?? SandboxedPreviews(decoder, context)
            objects.previews = previews
            if let image = try previews.append(bytes) { try use(image, &objects) }
        default: try use(try decoder.decode(bytes, context: context), &objects)
        }
    }

    private func use(_ image: Image, _ objects: inout Objects) throws(TintypeError) {
        objects.images.append(image)
        read(image.pixels)
        if let range = image.highRange { read(range.rows) }
        for index in 0..<min(image.animation?.frameCount ?? 0, 3) {
            if let frame = try image.animation?.frame(at: index) { read(frame) }
        }
    }

    private func play(_ frames: any FrameDecoder, _ objects: inout Objects) throws(TintypeError) {
        objects.frames.append(frames)
        for index in 0..<min(frames.frames.count, 3) { read(try frames.pixels(of: index) { false }) }
    }

    /// Reads every pixel.
    private func read(_ pixels: PixelBuffer) {
        let sum = pixels.withUnsafeBytes { $0.reduce(0) { $0 &+ Int($1) } }
        precondition(sum >= 0)
    }
}
