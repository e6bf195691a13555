import CTintypeSandbox
import Foundation
import FuzzSupport
import Synchronization

@testable import TintypeCore
@testable import TintypeSandbox

/// A thread at the other end of a socket that answers requests as an input says.
final class HostileWorker: Sendable {
    private struct State {
        /// What the workers so far have not used.
        var input: FuzzInput
        /// The host's end of the socket of the last worker, and a signal of the end of its thread.
        var last: (socket: Int32, ended: DispatchSemaphore)?
    }

    private let state: Mutex<State>

    init(_ input: FuzzInput) {
        state = Mutex(State(input: input))
    }

    /// Starts a worker that goes on with the script.
    func start(_ start: WorkerStart) throws(TintypeError) -> WorkerProcess {
        end()
        guard let ends = WorkerSocket.pair() else { fatalError("no socket") }
        let ended = DispatchSemaphore(value: 0)
        state.withLock { $0.last = (ends.host, ended) }
        Thread.detachNewThread { [self] in
            var script = WorkerScript(state.withLock { $0.input })
            let rest = script.serve(WorkerSocket(descriptor: ends.worker))
            state.withLock { $0.input = rest }
            close(ends.worker)
            ended.signal()
        }
        return try WorkerProcess(connected: ends.host, start)
    }

    /// Waits for the end of the last worker, whose socket the host has closed.
    func end() {
        let last = state.withLock { state in
            defer { state.last = nil }
            return state.last
        }
        last?.ended.wait()
    }
}

/// What a hostile worker does.
struct WorkerScript {
    private var input: FuzzInput
    /// The output memory that the host has granted to the worker that runs.
    private var grants: [Grant] = []

    private struct Grant {
        let number: Int
        let bytes: UnsafeMutableRawBufferPointer
    }

    init(_ input: FuzzInput) {
        self.input = input
    }

    /// Serves a host until the script or the connection ends.
    ///
    /// - Returns: The rest of the script.
    mutating func serve(_ socket: WorkerSocket) -> FuzzInput {
        answerAll(socket)
        for grant in grants { munmap(grant.bytes.baseAddress, grant.bytes.count) }
        grants = []
        return input
    }

    private mutating func answerAll(_ socket: WorkerSocket) {
        guard let start = socket.receive(acceptsDescriptor: true) else { return }
        if start.descriptor >= 0 { close(start.descriptor) }
        guard sendReady(to: socket) else { return }
        while !input.isEmpty, let request = socket.receive(acceptsDescriptor: true) {
            if request.descriptor >= 0 { close(request.descriptor) }
            guard answer(socket) else { return }
        }
    }

    private mutating func sendReady(to socket: WorkerSocket) -> Bool {
        var writer = WireWriter()
        switch input.byte() {
        case 255: return socket.send(input.byte(), Array(input.take(Int(input.byte()))))
        case 254:
            writer.write(WorkerReady(version: Int(input.byte()), landlockVersion: 7, isFiltered: true, dataBytes: 0))
        case 253: writer.write(WorkerReady(landlockVersion: 7, isFiltered: true, dataBytes: 0, problem: "a problem"))
        default: writer.write(WorkerReady(landlockVersion: 7, isFiltered: true, dataBytes: 1 << 20))
        }
        return socket.send(WorkerMessageKind.ready.rawValue, writer.bytes)
    }

    /// Answers a request: asks for memory, sends bytes of any kind, and at last a reply.
    ///
    /// - Returns: Whether another request may come.
    private mutating func answer(_ socket: WorkerSocket) -> Bool {
        while !input.isEmpty {
            switch input.byte() {
            case 0:
                sendRaw(to: socket)
                return false
            case 1: return socket.send(WorkerMessageKind.reply.rawValue, Array(input.take(Int(input.number(bytes: 2)))))
            case 2: return socket.send(input.byte(), Array(input.take(Int(input.byte()))))
            case 3...63: if !ask(socket) { return false }
            case 64: return sendWithDescriptor(to: socket)
            case 65: scribble()
            default: return sendReply(to: socket)
            }
        }
        return false
    }

    /// Sends bytes that need not be a whole message.
    private mutating func sendRaw(to socket: WorkerSocket) {
        let bytes = Array(input.take(Int(input.byte())))
        _ = tintype_send(socket.descriptor, bytes, bytes.count, -1)
    }

    /// The host must close a descriptor that it has not asked for.
    private mutating func sendWithDescriptor(to socket: WorkerSocket) -> Bool {
        let memory = tintype_memory_create(4096)
        defer { close(memory) }
        return socket.send(WorkerMessageKind.reply.rawValue, reply(), descriptor: memory)
    }

    // MARK: Memory

    /// Asks for memory, and does what a worker must not do with it.
    private mutating func ask(_ socket: WorkerSocket) -> Bool {
        var writer = WireWriter()
        writer.write(input.any(of: [64, 4096, 70_000, 1 << 20, 15 << 20, 1 << 39, 1 << 50, -1]))
        guard socket.send(WorkerMessageKind.need.rawValue, writer.bytes),
            let message = socket.receive(acceptsDescriptor: true)
        else { return false }
        guard message.descriptor >= 0 else { return true }
        defer { close(message.descriptor) }
        // The memory cannot shrink, so the host never reads beyond its end.
        precondition(ftruncate(message.descriptor, 0) != 0 && ftruncate(message.descriptor, 1 << 30) != 0)
        var reader = WireReader(message.body)
        guard let number = try? reader.anyInt(), let size = try? reader.int(in: 1...1 << 40),
            let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, message.descriptor, 0),
            address != MAP_FAILED
        else { return true }
        // A hole reads as zeros.
        madvise(address, 4096, MADV_REMOVE)
        grants.append(Grant(number: number, bytes: UnsafeMutableRawBufferPointer(start: address, count: size)))
        return true
    }

    /// Writes to memory that the host may be reading.
    private mutating func scribble() {
        let byte = input.byte()
        for grant in grants {
            let begin = UnsafeMutableRawBufferPointer(rebasing: grant.bytes.prefix(4096))
            _ = begin.initializeMemory(as: UInt8.self, repeating: byte)
        }
    }

    // MARK: Replies

    /// Sends a reply that is well formed but for a byte.
    private mutating func sendReply(to socket: WorkerSocket) -> Bool {
        socket.send(WorkerMessageKind.reply.rawValue, reply())
    }

    private mutating func reply() -> [UInt8] {
        let result: WorkerReply.Result =
            switch input.byte() % 12 {
            case 0:
                .failure(
                    TintypeError(input.any(of: [.undecodable, .limitExceeded, .cancelled]), stage: .decode, "an error"))
            case 1: .nothing
            case 2: .info(info())
            case 3: .data(input.take(Int(input.byte())))
            case 4...6: .image(image())
            case 7: .frames(frames(), input.byte() & 1 == 0 ? info() : nil)
            case 8: .pixels(pixels(size()))
            case 9: .previews(Int(input.byte()))
            case 10: .preview(image(), isAnimation: input.byte() & 1 == 1)
            default: .preview(nil, isAnimation: input.byte() & 1 == 1)
            }
        var reply = WorkerReply(result: result)
        let blocks = input.byte()
        if blocks & 1 != 0 { reply.releasedInputs = [Int(input.byte() % 8)] }
        reply.isLast = blocks & 4 != 0
        if blocks & 2 != 0 { reply.droppedBlocks = [Int(input.byte() % 8)] }
        var writer = WireWriter()
        writer.write(reply)
        var bytes = writer.bytes
        if blocks & 0x80 != 0 { bytes[Int(input.number(bytes: 2)) % bytes.count] = input.byte() }
        return bytes
    }

    private mutating func size() -> PixelSize {
        let side = [1, 2, 3, 100, 1000, 65_536, 1_000_000_000, 0]
        return PixelSize(width: input.any(of: side), height: input.any(of: side))
    }

    private mutating func info() -> ImageInfo {
        var info = ImageInfo(format: input.any(of: [.bmp, .gif, .svg]), size: size())
        info.frameCount = Int(input.byte())
        info.durations = Array(repeating: input.any(of: [0.1, -1, .nan, .infinity]), count: Int(input.byte() % 8))
        info.warnings = input.byte() & 1 == 0 ? [] : [.missingFile]
        return info
    }

    private mutating func pixels(_ size: PixelSize) -> WorkerPixels {
        let choice = input.byte()
        if choice < 128 { return .block(size, grants.last.map(\.number) ?? Int(choice)) }
        let count = PixelBuffer.bytesPerRow(width: min(size.width, 1000)) * min(size.height, 100)
        return .inline(size, Data(count: choice < 255 ? count : Int(input.number(bytes: 2))))
    }

    private mutating func image() -> WorkerImage {
        let (size, choice) = (size(), input.byte())
        return WorkerImage(
            info: info(), pixels: pixels(size),
            highRange: choice & 1 == 0 ? nil : pixels(PixelSize(width: 2 * size.width, height: size.height)),
            exif: choice & 2 == 0 ? nil : input.take(Int(input.byte())), isPartial: choice & 4 != 0,
            frames: choice & 8 == 0 ? nil : frames())
    }

    private mutating func frames() -> WorkerFrames {
        let canvas = size()
        let frames = (0..<Int(input.byte() % 5)).map { _ in
            let rect = PixelRect(x: Int(input.byte()) - 100, y: Int(input.byte()) - 100, size: size())
            return AnimationFrame(
                rect: rect, duration: input.any(of: [0.1, 0, -1, .nan, .infinity]), blend: .over,
                disposal: input.any(of: [.keep, .background, .previous]), hasAlpha: true)
        }
        return WorkerFrames(handle: Int(input.byte() % 4), canvasSize: canvas, loopCount: 1, frames: frames)
    }
}
