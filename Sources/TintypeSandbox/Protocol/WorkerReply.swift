import Foundation
import TintypeCore

/// The first message of a worker, after it has prepared itself.
struct WorkerReady: Equatable {
    /// The version of the protocol, so that an executable of another build is recognized.
    var version = WorkerReady.version
    /// The version of Landlock that restricts the worker; 0 if none does.
    var landlockVersion: Int
    /// Whether its system calls are filtered.
    var isFiltered: Bool
    /// The private memory in bytes before the first image.
    var dataBytes: Int
    /// Why the worker cannot be used; empty if it can.
    var problem = ""

    static let version = 2
}

/// The end of a request.
struct WorkerReply {
    var result: Result
    /// The blocks of input memory that no decoder refers to any more.
    var releasedInputs: [Int] = []
    /// The blocks of output memory that the worker has given up.
    var droppedBlocks: [Int] = []
    /// Whether the worker must not decode another image, because its libraries remember that a file was refused.
    var isLast = false

    enum Result {
        case failure(TintypeError)
        /// A function returned `nil`, or nothing.
        case nothing
        case info(ImageInfo)
        case data(Data)
        case image(WorkerImage)
        case frames(WorkerFrames, ImageInfo?)
        case pixels(WorkerPixels)
        /// A decoder of previews is open.
        case previews(Int)
        /// The next preview, if there is one. For an animation, the host decodes its frames instead.
        case preview(WorkerImage?, isAnimation: Bool)
    }
}

/// Pixels that a worker has decoded.
enum WorkerPixels: Equatable {
    /// Rows in the message.
    case inline(PixelSize, Data)
    /// Rows in a block of output memory.
    case block(PixelSize, Int)

    /// The size in pixels.
    var size: PixelSize {
        switch self {
        case .inline(let size, _), .block(let size, _): size
        }
    }
}

/// A decoded image.
struct WorkerImage {
    var info: ImageInfo
    var pixels: WorkerPixels
    /// Rows of 16-bit floats, as 4-byte pixels of twice the width.
    var highRange: WorkerPixels?
    var exif: Data?
    var isPartial = false
    /// The frames of an animation.
    var frames: WorkerFrames?
}

/// The frames of an animation that is open in a worker.
struct WorkerFrames {
    var handle: Int
    var canvasSize: PixelSize
    var loopCount: Int
    var frames: [AnimationFrame]
}

/// The kinds of messages from a worker.
enum WorkerMessageKind: UInt8 {
    case ready = 1
    case reply = 2
    /// The worker needs output memory of some bytes and waits for a grant.
    case need = 3
}

// MARK: - Coding

extension WireWriter {
    mutating func write(_ ready: WorkerReady) {
        write(ready.version)
        write(ready.landlockVersion)
        write(ready.isFiltered)
        write(ready.dataBytes)
        write(ready.problem)
    }

    mutating func write(_ reply: WorkerReply) {
        write(reply.releasedInputs) { $0.write($1) }
        write(reply.droppedBlocks) { $0.write($1) }
        write(reply.isLast)
        switch reply.result {
        case .failure(let error):
            write(UInt8(0))
            write(error)
        case .nothing: write(UInt8(1))
        case .info(let info):
            write(UInt8(2))
            write(info)
        case .data(let data):
            write(UInt8(3))
            write(data)
        case .image(let image):
            write(UInt8(4))
            write(image)
        case .frames(let frames, let info):
            write(UInt8(5))
            write(frames)
            write(info) { $0.write($1) }
        case .pixels(let pixels):
            write(UInt8(6))
            write(pixels)
        case .previews(let handle):
            write(UInt8(7))
            write(handle)
        case .preview(let image, let isAnimation):
            write(UInt8(8))
            write(image) { $0.write($1) }
            write(isAnimation)
        }
    }

    private mutating func write(_ image: WorkerImage) {
        write(image.info)
        write(image.pixels)
        write(image.highRange) { $0.write($1) }
        write(image.exif) { $0.write($1) }
        write(image.isPartial)
        write(image.frames) { $0.write($1) }
    }

    private mutating func write(_ pixels: WorkerPixels) {
        write(pixels.size)
        switch pixels {
        case .inline(_, let rows):
            write(true)
            write(rows)
        case .block(_, let block):
            write(false)
            write(block)
        }
    }

    private mutating func write(_ frames: WorkerFrames) {
        write(frames.handle)
        write(frames.canvasSize)
        write(frames.loopCount)
        write(frames.frames) { $0.write($1) }
    }
}

extension WireReader {
    mutating func ready() throws(WireError) -> WorkerReady {
        WorkerReady(
            version: try anyInt(), landlockVersion: try int(in: 0...1000), isFiltered: try flag(),
            dataBytes: try int(in: 0...1 << 40), problem: try string())
    }

    mutating func reply() throws(WireError) -> WorkerReply {
        let released = try array(of: 8) { (reader) throws(WireError) in try reader.anyInt() }
        let dropped = try array(of: 8) { (reader) throws(WireError) in try reader.anyInt() }
        let isLast = try flag()
        return WorkerReply(result: try result(), releasedInputs: released, droppedBlocks: dropped, isLast: isLast)
    }

    private mutating func result() throws(WireError) -> WorkerReply.Result {
        switch try number(UInt8.self) {
        case 0: .failure(try error())
        case 1: .nothing
        case 2: .info(try info())
        case 3: .data(try data())
        case 4: .image(try image())
        case 5: .frames(try frames(), try optional { (reader) throws(WireError) in try reader.info() })
        case 6: .pixels(try pixels())
        case 7: .previews(try anyInt())
        case 8:
            .preview(try optional { (reader) throws(WireError) in try reader.image() }, isAnimation: try flag())
        case let kind: throw WireError("\(kind) is no result")
        }
    }

    private mutating func image() throws(WireError) -> WorkerImage {
        WorkerImage(
            info: try info(), pixels: try pixels(),
            highRange: try optional { (reader) throws(WireError) in try reader.pixels() },
            exif: try optional { (reader) throws(WireError) in try reader.data() }, isPartial: try flag(),
            frames: try optional { (reader) throws(WireError) in try reader.frames() })
    }

    private mutating func pixels() throws(WireError) -> WorkerPixels {
        let size = try size()
        guard size.isPositive else { throw WireError("pixels of \(size)") }
        return try flag() ? .inline(size, try data()) : .block(size, try anyInt())
    }

    private mutating func frames() throws(WireError) -> WorkerFrames {
        let (handle, canvas, loops) = (try anyInt(), try size(), try int(in: 0...1 << 32))
        let frames = try array(of: 35) { (reader) throws(WireError) in try reader.frame() }
        guard !frames.isEmpty, canvas.isPositive else { throw WireError("an animation without frames") }
        return WorkerFrames(handle: handle, canvasSize: canvas, loopCount: loops, frames: frames)
    }
}
