import CTintypeSandbox
import Foundation
import Logging
import TintypeCore

/// A running worker.
///
/// `@unchecked Sendable` because only the thread to which the ``WorkerPool`` has given the worker uses its mutable state.
/// ``returned`` and ``closedHandles`` may be used by any thread.
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
    private var blocks = SharedBlocks()
    private var limits: (memory: Int, seconds: Int) = (0, 0)
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
    }

    /// The time in which a worker must have prepared itself.
    private static let startLimit = Duration.seconds(20)
    /// The time in which a worker ends a decode that nobody waits for.
    fileprivate static let grace = Duration.milliseconds(100)
    /// The time between two checks for cancellation.
    fileprivate static let pollingInterval: Int32 = 10
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
    /// - Throws: ``TintypeError/Code/noWorker``.
    init(_ executable: String?, _ start: WorkerStart, _ logger: Logger) throws(TintypeError) {
        // Such a program refuses to be a worker, because anyone can start it like one.
        guard executable != nil || !tintype_process_is_privileged() else {
            throw .noWorker("the program has privileges that its user does not have", 0)
        }
        let path = executable ?? "/proc/self/exe"
        guard let ends = Self.socketPair() else { throw .noWorker("its socket cannot be made", errno) }
        defer { close(ends.worker) }
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
            (self.lifeline, log) = (lifeline, WorkerLog(output, identifier, logger))
            process = tintype_process_open(identifier)
            guard process >= 0 else {
                tintype_process_abandon(identifier)
                throw .noWorker("its process cannot be watched", errno)
            }
            do throws(TintypeError) {
                ready = try Self.prepare(socket, start, flagMemory: copy)
                try Self.limitMemory(of: identifier, ready.dataBytes + Self.slack)
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
    /// - Throws: ``TintypeError/Code/noWorker``.
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

    static func socketPair() -> (host: Int32, worker: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        // The host never waits in a call that it cannot leave.
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    private static func prepare(
        _ socket: WorkerSocket, _ start: WorkerStart, flagMemory: Int32
    ) throws(TintypeError) -> WorkerReady {
        var writer = WireWriter()
        writer.write(start)
        let begin = TimeSource.system.uptime()
        guard socket.send(HostMessageKind.start.rawValue, writer.bytes, descriptor: flagMemory),
            let message = socket.receive({
                wait(for: socket) && TimeSource.system.uptime() - begin < startLimit
            }), message.kind == WorkerMessageKind.ready.rawValue
        else {
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

    /// Waits until something can be received, or for a short time. Always returns `true`.
    private static func wait(for socket: WorkerSocket) -> Bool {
        var poll = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        _ = Foundation.poll(&poll, 1, pollingInterval)
        return true
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
        request.returnedBlocks = returned.take()
        blocks.takeBack(request.returnedBlocks)
        request.closedHandles = closedHandles.take()
        request.droppedInputs = blocks.trimInputs()
        flag.set(false)
        defer { if descriptor >= 0 { close(descriptor) } }
        request.bytes = try place(bytes, &descriptor)
        guard setLimits(request.context.limits.memoryBytes, time) else { throw .ended }
        var writer = WireWriter()
        writer.write(request)
        guard socket.send(HostMessageKind.request.rawValue, writer.bytes, descriptor: descriptor) else { throw .ended }
        privateBytes = 0
        let wait = ReplyWait(identifier, time: time, flag, isCancelled)
        defer {
            privateBytes = wait.privateBytes
            log?.drain()
        }
        return try receiveReply(wait, request.context.limits.memoryBytes)
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

    private func receiveReply(_ wait: ReplyWait, _ memoryBytes: Int) throws(Failure) -> WorkerReply.Result {
        while true {
            guard let message = socket.receive({ wait.wait(for: socket.descriptor) }) else {
                throw wait.failure ?? .ended
            }
            var reader = WireReader(message.body)
            do throws(WireError) {
                switch WorkerMessageKind(rawValue: message.kind) {
                case .need:
                    let byteCount = try reader.int(in: 1...1 << 40)
                    try reader.finish()
                    try grant(byteCount, memoryBytes)
                    guard setLimits(memoryBytes, wait.time) else { throw WireError("its limits cannot be set") }
                case .reply:
                    let reply = try reader.reply()
                    try reader.finish()
                    guard blocks.release(inputs: reply.releasedInputs), blocks.drop(outputs: reply.droppedBlocks) else {
                        throw WireError("a block that the worker does not have")
                    }
                    return reply.result
                default: throw WireError("an unexpected message")
                }
            } catch {
                throw .violated(error.reason)
            }
        }
    }

    /// Gives output memory to the worker, as far as the memory limit of the decode permits it.
    private func grant(_ byteCount: Int, _ memoryBytes: Int) throws(WireError) {
        let (capacity, held) = (SharedBlock.capacity(for: byteCount), blocks.workerBytes)
        var writer = WireWriter()
        if capacity <= memoryBytes - min(held, memoryBytes) {
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
        writer.write(0)
        writer.write(0)
        guard socket.send(HostMessageKind.grant.rawValue, writer.bytes) else { throw WireError("it does not read") }
    }

    // MARK: Limits

    /// Has the kernel limit the memory of a worker that decodes nothing yet.
    private static func limitMemory(of process: pid_t, _ byteCount: Int) throws(TintypeError) {
        guard !tintype_has_sanitizer(), tintype_process_limit(process, UInt64(byteCount), 0) != 0 else { return }
        throw .noWorker("its memory cannot be limited", errno)
    }

    /// Has the kernel limit the memory and the processor time of the worker, if they have changed.
    ///
    /// - Returns: `false` if it cannot, for example because the worker has ended.
    private func setLimits(_ memoryBytes: Int, _ time: Duration) -> Bool {
        guard !tintype_has_sanitizer(), identifier > 0 else { return true }
        // Output blocks are not private memory, but count as well.
        let allowed = min(memoryBytes, 1 << 46)
        let memory = ready.dataBytes + Self.slack + allowed - min(blocks.workerBytes, allowed)
        // The limit counts the whole life of the worker, so it is raised well before it is reached.
        let used = Int(tintype_process_seconds(identifier).rounded(.up))
        let seconds = used + 2 * Int(min(time.components.seconds, 1 << 30)) + 2
        guard memory != limits.memory || seconds > limits.seconds || seconds < limits.seconds / 2 else { return true }
        limits = (memory, 2 * seconds)
        return tintype_process_limit(identifier, UInt64(memory), UInt64(limits.seconds)) == 0
    }

    // MARK: Results

    /// Bitmaps of fewer bytes are copied, so that their blocks can be used again at once and the number of mappings stays
    /// small.
    private static let smallestMapped = 256 << 10

    /// Returns the pixels of a reply.
    ///
    /// - Throws: ``Failure/violated(_:)`` if the rows do not have the size that the worker states.
    func pixels(_ pixels: WorkerPixels) throws(Failure) -> PixelBuffer {
        switch pixels {
        case .inline(let size, let rows):
            guard rows.count == PixelBuffer.bytesPerRow(width: size.width) * size.height else {
                throw .violated("rows of another length")
            }
            return try rows.withUnsafeBytes { raw in Result { () throws(Failure) in try Self.copy(size, raw) } }.get()
        case .block(let size, let number):
            guard let block = blocks.deliver(number) else { throw .violated("a block that the worker does not have") }
            let delivered = DeliveredBlock(block, returned)
            guard let mapped = PixelBuffer(size: size, rows: delivered.bytes, owner: delivered) else {
                throw .violated("rows that do not fit into their block")
            }
            guard mapped.byteCount < Self.smallestMapped else { return mapped }
            return try mapped.withUnsafeBytes { raw throws(Failure) in try Self.copy(size, raw) }
        }
    }

    private static func copy(_ size: PixelSize, _ rows: UnsafeRawBufferPointer) throws(Failure) -> PixelBuffer {
        guard var writer = try? PixelWriter(size: size) else { throw .ended }
        writer.withRows { $0.copyMemory(from: rows) }
        return writer.finish()
    }
}

/// Waits for a reply: until bytes arrive, the time is over, or a cancelled decode has not ended in time.
private final class ReplyWait {
    private(set) var failure: WorkerProcess.Failure?
    private(set) var privateBytes = 0
    private let process: pid_t
    private let statistics: String
    /// The time of the last sample, or of the start.
    private var sampled: Duration
    /// The largest number of threads. Drawing text in many fonts needs 460.
    private static let maximumThreads = 1000
    private let start = TimeSource.system.uptime()
    let time: Duration
    private let flag: CancelFlag
    private let isCancelled: () -> Bool
    private var cancelled: Duration?

    init(_ process: pid_t, time: Duration, _ flag: CancelFlag, _ isCancelled: @escaping () -> Bool) {
        (self.process, statistics) = (process, "/proc/\(process)/statm")
        sampled = start
        (self.time, self.flag, self.isCancelled) = (time, flag, isCancelled)
    }

    /// Returns whether bytes have arrived; `false` after a ``failure``.
    func wait(for descriptor: Int32) -> Bool {
        while true {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = Foundation.poll(&poll, 1, WorkerProcess.pollingInterval)
            let now = TimeSource.system.uptime()
            if now - start > time {
                failure = .timedOut
            } else if let cancelled {
                if now - cancelled > WorkerProcess.grace { failure = .cancelled }
            } else if isCancelled() {
                flag.set(true)
                cancelled = now
            }
            // A worker that sends something all the time is sampled as well.
            if count == 0 || now - sampled > .milliseconds(Int(WorkerProcess.pollingInterval)) {
                sampled = now
                sampleMemory()
                if tintype_process_thread_count(process) > Self.maximumThreads { failure = .violated("too many threads") }
            }
            guard failure == nil else { return false }
            if count > 0 { return true }
        }
    }

    /// The largest memory that the kernel reports of a child may be that of its parent, so it is of no use here.
    private func sampleMemory() {
        guard let text = try? String(contentsOfFile: statistics, encoding: .utf8) else { return }
        let pages = text.split(separator: " ").prefix(3).compactMap { Int($0) }
        if pages.count == 3 { privateBytes = max(privateBytes, (pages[1] - pages[2]) * Int(getpagesize())) }
    }
}

extension TintypeError {
    /// Returns the error for a worker that cannot be started.
    ///
    /// - Parameter number: The error number of the system call, or 0.
    static func noWorker(_ reason: String, _ number: Int32) -> TintypeError {
        let system = number == 0 ? "" : ": \(SystemError.description(number))"
        return TintypeError(
            .noWorker, stage: .decode,
            "a worker process is needed to decode the image, but \(reason)\(system); "
                + "mount /proc and permit execve, set SandboxConfiguration.executable, or trust the images with .none")
    }
}
