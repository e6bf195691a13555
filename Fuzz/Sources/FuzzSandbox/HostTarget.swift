import CTintypeSandbox
import Foundation
import FuzzSupport

@testable import TintypeCore
@testable import TintypeGIF
@testable import TintypeSandbox

/// A worker, and a host that sends what an input says.
///
/// The sanitizer finds accesses outside of the memory that the worker has mapped.
struct HostTarget {
    private let input: FuzzInput

    init(_ input: FuzzInput) {
        self.input = input
    }

    func run() {
        guard let ends = WorkerSocket.pair(), let flag = CancelFlag(mapping: CancelFlag.makeMemory()) else {
            return
        }
        let ended = DispatchSemaphore(value: 0)
        var script = HostScript(input)
        script.readStart()
        // The script waits for nothing but the end, so the worker may use this thread, and thus its own memory.
        _ = fcntl(ends.host, F_SETFL, 0)
        Thread.detachNewThread { [script] in
            var script = script
            script.drive(WorkerSocket(descriptor: ends.host))
            close(ends.host)
            ended.signal()
        }
        WorkerSession(WorkerSocket(descriptor: ends.worker), flag).run()
        close(ends.worker)
        ended.wait()
    }
}

/// What a hostile host does.
struct HostScript: Sendable {
    private var input: FuzzInput

    private static let decoders = [PlainDecoder.self, GIFDecoder.self] as [any SandboxableImageDecoder.Type]

    init(_ input: FuzzInput) {
        self.input = input
    }

    /// Reads the first message as a worker does.
    mutating func readStart() {
        guard input.byte() == 255 else { return }
        var reader = WireReader(Array(input.take(Int(input.byte()))))
        _ = try? reader.start()
    }

    /// Sends messages until the script or the connection ends.
    mutating func drive(_ socket: WorkerSocket) {
        while !input.isEmpty, send(to: socket) {}
    }

    private mutating func send(to socket: WorkerSocket) -> Bool {
        switch input.byte() {
        case 0:
            // They need not be a whole message, so no answer may come.
            let bytes = Array(input.take(Int(input.byte())))
            _ = tintype_send(socket.descriptor, bytes, bytes.count, -1)
            return false
        case 1:
            return send(input.byte(), Array(input.take(Int(input.byte()))), to: socket) && awaitAnswer(socket)
        case 2:
            let body = Array(input.take(Int(input.number(bytes: 2))))
            return send(HostMessageKind.request.rawValue, body, to: socket) && awaitAnswer(socket)
        default: return sendRequest(to: socket) && awaitAnswer(socket)
        }
    }

    /// Reads messages up to a reply, and grants memory.
    private mutating func awaitAnswer(_ socket: WorkerSocket) -> Bool {
        while let message = socket.receive() {
            switch WorkerMessageKind(rawValue: message.kind) {
            case .need: if !grant(message, to: socket) { return false }
            case .reply:
                var reader = WireReader(message.body)
                let reply = try? reader.reply()
                precondition(reply != nil, "a worker has sent what is no reply")
                return true
            default: preconditionFailure("a worker has sent \(message.kind)")
            }
        }
        return false
    }

    private mutating func grant(_ message: WorkerSocket.Message, to socket: WorkerSocket) -> Bool {
        var reader = WireReader(message.body)
        let asked = (try? reader.int(in: 1...1 << 40)) ?? 0
        let choice = input.byte()
        let size =
            switch choice & 3 {
            case 3: Int(input.number(bytes: 4))
            default: SharedBlock.capacity(for: asked)
            }
        var writer = WireWriter()
        writer.write(Int(input.byte() % 8))
        writer.write(choice & 4 == 0 ? size : Int(input.number(bytes: 4)))
        if choice & 8 != 0 { return send(input.byte(), writer.bytes, to: socket) }
        return send(HostMessageKind.grant.rawValue, writer.bytes, memory: size, to: socket)
    }

    /// Sends a message, with memory now and then.
    private mutating func send(
        _ kind: UInt8, _ body: [UInt8], memory size: Int? = nil, to socket: WorkerSocket
    ) -> Bool {
        let choice = input.byte()
        let length = size ?? Int(input.number(bytes: 2))
        guard choice & 1 == 0 else { return socket.send(kind, body) }
        // Memory whose size may still change is not used.
        let memory = choice & 2 == 0 ? tintype_memory_create(min(length, 1 << 22)) : Self.makeFile(min(length, 1 << 22))
        defer { close(memory) }
        return socket.send(kind, body, descriptor: memory)
    }

    /// Returns the descriptor of an unnamed file.
    private static func makeFile(_ size: Int) -> Int32 {
        guard let file = tmpfile() else { return -1 }
        defer { fclose(file) }
        ftruncate(fileno(file), size)
        return dup(fileno(file))
    }

    // MARK: Requests

    private mutating func sendRequest(to socket: WorkerSocket) -> Bool {
        let operation: WorkerRequest.Operation =
            switch input.byte() % 14 {
            case 0: .info(isComplete: true)
            case 1: .limitedInfo
            case 2: .verifiedInfo
            case 3: .verifyImages
            case 4: .salvage
            case 5: .xmp
            case 6: .openFrames
            case 7: .openArrivedFrames
            case 8: .frame(Int(input.byte() % 4), index: Int(input.byte() % 4))
            case 9: .openPreviews
            case 10: .preview(Int(input.byte() % 4))
            default: .decode
            }
        var request = WorkerRequest(operation: operation)
        request.decoder = WorkerDecoders.name(of: input.any(of: Self.decoders)) ?? ""
        request.context = context()
        let lists = input.byte()
        if lists & 1 != 0 { request.returnedBlocks = [Int(input.byte() % 8)] }
        if lists & 2 != 0 { request.droppedInputs = [Int(input.byte() % 4)] }
        if lists & 4 != 0 { request.closedHandles = [Int(input.byte() % 4)] }
        var capacity: Int?
        if lists & 8 != 0 {
            let size = 4096 * (1 + Int(input.byte() % 4))
            capacity = size
            request.bytes = .block(
                Int(input.byte() % 4), capacity: lists & 16 == 0 ? size : Int(input.number(bytes: 4)) + 1,
                count: Int(input.number(bytes: 2)))
        } else {
            request.bytes = .inline(input.take(Int(input.number(bytes: lists & 32 == 0 ? 1 : 2))))
        }
        var writer = WireWriter()
        writer.write(request)
        var bytes = writer.bytes
        if lists & 0x80 != 0 { bytes[Int(input.number(bytes: 2)) % bytes.count] = input.byte() }
        return send(HostMessageKind.request.rawValue, bytes, memory: capacity, to: socket)
    }

    private mutating func context() -> DecodeContext {
        let choice = input.byte()
        var context = DecodeContext()
        context.options.range = choice & 1 == 0 ? .standard : .high
        if choice & 2 != 0 {
            context.options.size = .fit(PixelSize(width: Int(input.byte()), height: Int(input.byte())))
        }
        if choice & 4 != 0 {
            context.options.crop = PixelRect(
                x: Int(input.byte()) - 100, y: Int(input.byte()) - 100,
                size: PixelSize(width: Int(input.byte()), height: Int(input.byte())))
        }
        if choice & 8 != 0 { context.options.scale = input.any(of: [0, -1, .nan, .infinity, 2]) }
        if choice & 16 != 0 { context.limits.memoryBytes = Int(Int32(bitPattern: input.number(bytes: 4))) }
        return context
    }
}
