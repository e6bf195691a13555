import CTintypeSandbox
import Foundation
import Logging
import TintypeCore

/// A running worker.
///
/// `@unchecked Sendable` because only the thread to which the ``WorkerPool`` has given the worker uses its mutable
/// state. ``returned`` and ``closedHandles`` may be used by any thread.
final class WorkerProcess: @unchecked Sendable {
    /// The restrictions of the worker.
    let ready: WorkerReady
    /// The output blocks that the host no longer reads.
    let returned = ReturnedBlocks()
    /// The frame and preview decoders that nothing uses any more.
    let closedHandles = ReturnedBlocks()
    private let socket: WorkerSocket
    let identifier: pid_t
    /// A descriptor of the process (pidfd_open(2)).
    private let process: Int32
    /// The end of this pipe tells the worker that the host has ended.
    private let lifeline: WorkerPipe?
    private let log: WorkerLog?
    private let flag: CancelFlag
    var blocks = SharedBlocks()
    private var limits = WorkerLimits()
    /// The output blocks that the host no longer reads, of which the worker learns with the next request.
    private var takenBack: [Int] = []
    /// What the worker held at the beginning of the last request.
    private(set) var held = HeldMemory()
    /// The number of decoders that are open in the worker.
    private var openDecoders = 0
    /// Whether the worker may hold so much memory of former images that it must be ended.
    private(set) var isExhausted = false
    /// Whether the worker has sent its last reply.
    private var isSpent = false
    /// The largest private memory, in bytes, that was seen during the last request. Sampled, so short peaks are missed.
    private(set) var privateBytes = 0
    private(set) var isEnded = false

    /// Why an exchange with a worker failed. The worker is ended then.
    enum Failure: Error {
        /// Nobody waits for the result any more.
        case cancelled
        /// The time limit is over.
        case timedOut
        /// The worker has ended, or has closed the connection.
        case ended
        /// The worker has sent something that it must not send.
        case violated(String)
        /// The worker has sent an image that exceeds a limit of the request.
        case exceeded(TintypeError)
    }

    /// The time in which a worker must have prepared itself.
    private static let startLimit = Duration.seconds(20)
    /// The time in which a worker ends a decode that nobody waits for.
    static let grace = Duration.milliseconds(100)
    /// The time between two checks for cancellation.
    static let pollingInterval: Int32 = 10
    /// The longest encoded image that is part of a message.
    private static let inlineLimit = 16 << 10
    /// Private memory in addition to that before the first image and ``DecodeLimits/memoryBytes``: what malloc does not
    /// give back.
    private static let slack = 24 << 20

    // MARK: Starting

    /// Starts a worker, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - executable: The executable; `nil` for that of this process.
    ///   - logger: Receives what the worker prints.
    ///   - isCancelled: Whether nobody waits for the worker any more.
    /// - Throws: `TintypeError.Code.noWorker`, `TintypeError.Code.cancelled`.
    init(
        _ executable: String?, _ start: WorkerStart, _ logger: Logger, isCancelled: () -> Bool = { false }
    ) throws(TintypeError) {
        // Such a program refuses to be a worker, because anyone can start it like one.
        guard executable != nil || !tintype_process_is_privileged() else {
            throw .noWorker("the program has privileges that its user does not have", 0)
        }
        let path = executable ?? "/proc/self/exe"
        guard let ends = WorkerSocket.pair() else { throw .noWorker("its socket cannot be made", errno) }
        var workerEnd = ends.worker
        defer { if workerEnd >= 0 { close(workerEnd) } }
        socket = WorkerSocket(descriptor: ends.host)
        do throws(TintypeError) {
            guard let lifeline = WorkerPipe(waits: true), let output = WorkerPipe(waits: false) else {
                throw .noWorker("its pipes cannot be made", errno)
            }
            let memory = CancelFlag.makeMemory()
            let copy = memory >= 0 ? fcntl(memory, F_DUPFD_CLOEXEC, 0) : -1
            defer { if copy >= 0 { close(copy) } }
            guard let flag = CancelFlag(mapping: memory, isWritable: true), copy >= 0 else {
                throw .noWorker("shared memory cannot be made", errno)
            }
            self.flag = flag
            // The reports of sanitizers must not be lost.
            let standardError = tintype_has_sanitizer() ? STDERR_FILENO : output.writingEnd
            identifier = tintype_worker_spawn(path, ends.worker, lifeline.readingEnd, standardError)
            guard identifier > 0 else { throw .noWorker("\(path) cannot be started", errno) }
            lifeline.closeReadingEnd()
            output.closeWritingEnd()
            // The socket must report the end of a worker that ends before it is ready.
            close(workerEnd)
            workerEnd = -1
            (self.lifeline, log) = (lifeline, WorkerLog(output, identifier, logger))
            process = tintype_process_open(identifier)
            guard process >= 0 else {
                tintype_process_abandon(identifier)
                throw .noWorker("its process cannot be watched", errno)
            }
            do throws(TintypeError) {
                let ready = try Self.prepare(socket, start, flagMemory: copy, isCancelled)
                try WorkerLimits.limitMemory(of: identifier, ready.dataBytes + Self.slack)
                // Last: an error after all properties are set would run `deinit`, too, which closes everything again.
                self.ready = ready
            } catch {
                tintype_process_kill(process)
                _ = tintype_process_reap(process)
                close(process)
                log?.drain()
                throw error
            }
        } catch {
            close(ends.host)
            throw error
        }
    }

    /// Creates a worker that is not a process, for tests of the protocol, and waits until it is ready.
    ///
    /// - Parameter descriptor: A socket that is connected to it, which does not block. Closed at the end.
    /// - Throws: `TintypeError.Code.noWorker`.
    init(connected descriptor: Int32, _ start: WorkerStart) throws(TintypeError) {
        (socket, identifier, process) = (WorkerSocket(descriptor: descriptor), 0, -1)
        (lifeline, log) = (nil, nil)
        do throws(TintypeError) {
            let memory = CancelFlag.makeMemory()
            let copy = fcntl(memory, F_DUPFD_CLOEXEC, 0)
            defer { if copy >= 0 { close(copy) } }
            guard let flag = CancelFlag(mapping: memory, isWritable: true) else {
                throw .noWorker("shared memory cannot be made", errno)
            }
            self.flag = flag
            ready = try Self.prepare(socket, start, flagMemory: copy)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        end()
    }

    private static func prepare(
        _ socket: WorkerSocket, _ start: WorkerStart, flagMemory: Int32, _ isCancelled: () -> Bool = { false }
    ) throws(TintypeError) -> WorkerReady {
        var writer = WireWriter()
        writer.write(start)
        let begin = TimeSource.system.uptime()
        guard socket.send(HostMessageKind.start.rawValue, writer.bytes, descriptor: flagMemory),
            let message = socket.receive({
                wait(for: socket)
                return TimeSource.system.uptime() - begin < startLimit && !isCancelled()
            }), message.kind == WorkerMessageKind.ready.rawValue
        else {
            if isCancelled() { throw .cancelled }
            throw .noWorker(
                "the program did not become a worker; it must contain TintypeSandbox, or name an executable that does",
                0)
        }
        var reader = WireReader(message.body)
        guard let ready = try? reader.ready(), ready.version == WorkerReady.version else {
            throw .noWorker("the executable is of another version", 0)
        }
        guard ready.problem.isEmpty else { throw .noWorker(ready.problem, 0) }
        return ready
    }

    /// Waits until something can be received, or for a short time.
    private static func wait(for socket: WorkerSocket) {
        var poll = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        _ = Foundation.poll(&poll, 1, pollingInterval)
    }

    /// Whether the worker is alive and silent, as it must be between requests.
    var isResponsive: Bool {
        var poll = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return !isEnded && Foundation.poll(&poll, 1, 0) == 0
    }

    /// Kills the worker and reaps it.
    @discardableResult
    func end() -> tintype_process_end {
        guard !isEnded else { return tintype_process_end() }
        isEnded = true
        // First, because a worker that cannot be killed ends by itself then.
        close(socket.descriptor)
        lifeline?.closeWritingEnd()
        var end = tintype_process_end()
        if process >= 0 {
            tintype_process_kill(process)
            end = tintype_process_reap(process)
            close(process)
        }
        log?.drain()
        log?.close()
        blocks = SharedBlocks()
        return end
    }

    // MARK: Requests

    /// Sends a request and waits for its result.
    ///
    /// - Parameters:
    ///   - bytes: The encoded bytes.
    ///   - time: The time limit.
    ///   - isCancelled: Whether nobody waits for the result any more.
    /// - Throws: ``Failure``, after which the worker must be ended.
    func exchange(
        _ request: WorkerRequest, _ bytes: Data, time: Duration, isCancelled: @escaping () -> Bool
    ) throws(Failure) -> WorkerReply.Result {
        var (request, descriptor) = (request, Int32(-1))
        request.returnedBlocks = takeBackBlocks()
        takenBack = []
        request.closedHandles = closedHandles.take()
        openDecoders -= request.closedHandles.count
        held = HeldMemory(
            blocks: blocks.workerBytes, decoders: openDecoders - (request.operation.usesOpenDecoder ? 1 : 0))
        request.droppedInputs = blocks.trimInputs()
        flag.set(false)
        defer { if descriptor >= 0 { close(descriptor) } }
        request.bytes = try place(bytes, &descriptor)
        // Only once for a request: a worker that asks for memory again and again must not gain time by it.
        let seconds = WorkerLimits.processorSeconds(of: identifier, time, threads: request.context.threads)
        guard setLimits(request.context.limits.memoryBytes, seconds) else { throw .ended }
        var writer = WireWriter()
        writer.write(request)
        guard socket.send(HostMessageKind.request.rawValue, writer.bytes, descriptor: descriptor) else { throw .ended }
        privateBytes = 0
        let wait = ReplyWait(identifier, time: time, flag, isCancelled)
        defer {
            privateBytes = wait.privateBytes
            log?.drain()
        }
        let result = try receiveReply(wait, request.context.limits.memoryBytes, seconds)
        openDecoders += result.openedDecoders
        isExhausted = isSpent || blocks.holdTooMuch(for: request.context.limits.memoryBytes)
        return result
    }

    /// Takes back the blocks that the host no longer reads; returns those of which the worker does not know yet.
    private func takeBackBlocks() -> [Int] {
        let numbers = returned.take()
        blocks.takeBack(numbers)
        takenBack += numbers
        return takenBack
    }

    /// Whether the worker holds so much memory of other images that another one must decode the next image.
    func holdsTooMuch(for limits: DecodeLimits) -> Bool {
        _ = takeBackBlocks()
        return blocks.workerBytes > limits.memoryBytes / 4
    }

    /// Puts encoded bytes where the worker can read them.
    private func place(_ bytes: Data, _ descriptor: inout Int32) throws(Failure) -> WorkerRequest.Bytes {
        guard bytes.count > Self.inlineLimit else { return .inline(bytes) }
        let block: SharedBlock
        if let free = blocks.takeInput(bytes.count) {
            block = free
        } else {
            var copy: Int32 = -1
            let new = SharedBlock(
                blocks.nextNumber(), byteCount: SharedBlock.capacity(for: bytes.count), isWritable: true
            ) {
                copy = fcntl($0, F_DUPFD_CLOEXEC, 0)
                return copy >= 0
            }
            guard let new else { throw .ended }
            descriptor = copy
            blocks.addInput(new)
            block = new
        }
        _ = bytes.copyBytes(to: block.bytes)
        return .block(block.number, capacity: block.bytes.count, count: bytes.count)
    }

    private func receiveReply(
        _ wait: ReplyWait, _ memoryBytes: Int, _ seconds: Int
    ) throws(Failure) -> WorkerReply.Result {
        var grantCount = 0
        while true {
            guard wait.check(),
                let message = socket.receive(mayContinue: { wait.check() }, { wait.wait(for: socket.descriptor) })
            else { throw wait.failure ?? .ended }
            var reader = WireReader(message.body)
            do throws(WireError) {
                switch WorkerMessageKind(rawValue: message.kind) {
                case .need:
                    let byteCount = try reader.int(in: PixelMemorySlot.smallest...1 << 40)
                    try reader.finish()
                    grantCount += 1
                    try grant(
                        byteCount, memoryBytes, seconds, isAllowed: grantCount <= SharedBlocks.maximumWorkerBlocks)
                case .reply:
                    let reply = try reader.reply()
                    try reader.finish()
                    guard blocks.release(inputs: reply.releasedInputs), blocks.drop(outputs: reply.droppedBlocks) else {
                        throw WireError("a block that the worker does not have")
                    }
                    isSpent = isSpent || reply.isLast
                    return reply.result
                default: throw WireError("an unexpected message")
                }
            } catch {
                throw .violated(error.reason)
            }
        }
    }

    /// Gives output memory to the worker, as far as the memory limit of the decode permits it.
    private func grant(
        _ byteCount: Int, _ memoryBytes: Int, _ seconds: Int, isAllowed: Bool
    ) throws(WireError) {
        let (capacity, held) = (SharedBlock.capacity(for: byteCount), blocks.workerBytes)
        var writer = WireWriter()
        // First, so that private memory cannot grow after it is compared.
        if isAllowed, capacity <= memoryBytes - min(held, memoryBytes),
            setLimits(memoryBytes, seconds, adding: capacity), WorkerLimits.dataBytes(of: identifier) <= limits.memory
        {
            let number = blocks.nextNumber()
            var answer = writer
            answer.write(number)
            answer.write(capacity)
            let block = SharedBlock(number, byteCount: capacity, isWritable: false) {
                socket.send(HostMessageKind.grant.rawValue, answer.bytes, descriptor: $0)
            }
            if let block {
                blocks.addOutput(block)
                return
            }
        }
        guard setLimits(memoryBytes, seconds) else { throw WireError("its limits cannot be set") }
        writer.write(0)
        writer.write(0)
        guard socket.send(HostMessageKind.grant.rawValue, writer.bytes) else { throw WireError("it does not read") }
    }

    // MARK: Limits

    /// Has the kernel limit the memory and the processor time of the worker, if they have changed.
    ///
    /// - Parameters:
    ///   - seconds: The processor time of the whole life of the worker.
    ///   - byteCount: The size of a block that the worker gets next.
    /// - Returns: `false` if it cannot, for example because the worker has ended.
    private func setLimits(_ memoryBytes: Int, _ seconds: Int, adding byteCount: Int = 0) -> Bool {
        // Output blocks are not private memory, but count as well.
        let allowed = min(max(memoryBytes, 0), 1 << 46)
        let memory = ready.dataBytes + Self.slack + allowed - min(blocks.workerBytes + byteCount, allowed)
        return limits.set(memory: memory, seconds: seconds, of: identifier)
    }
}
