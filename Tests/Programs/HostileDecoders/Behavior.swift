import Foundation
import TintypeCore

extension HostileDecoder {
    /// What the decoder does before it returns an image.
    package enum Behavior: String, CaseIterable, Sendable {
        /// Nothing.
        case good
        case crash
        case abort
        case trap
        case overflowStack
        /// Allocates without end.
        case hoard
        /// Allocates bitmaps without end.
        case hoardPixels
        /// Never ends.
        case loop
        /// Ends when it is cancelled.
        case wait
        /// Writes to the host what is no message.
        case writeGarbage
        /// Announces a message that never comes.
        case announce
        /// Returns rows that it does not have.
        case lieAboutSize
        /// Lists a billion frames.
        case listFrames
        case closeSocket
        case exit
        case fork
        case execute
        case createFile
        case readFile
        case listFolder
        case connect
        case killHost
        /// Makes the kernel send signals for a descriptor to the host.
        case signalHost
        case trace
        case makeMemory
        case startThread
        /// Starts thousands of threads.
        case startThreads
        /// Maps memory that RLIMIT_DATA does not count.
        case mapShared
        case mapGrowing
        /// Enlarges a copy of the stack.
        case remapStack
        /// Maps a terabyte to read it, which needs page tables.
        case mapAddresses
        /// Closes the pipe that tells it that the host has ended.
        case closeLifeline
        /// Has the kernel send no signal when the host ends.
        case disarmLifeline
        /// Reads, moves in, or changes the flags of standard error.
        case abuseStandardError
        /// Prints four megabytes.
        case print
        /// Reads a secret of the host.
        case readEnvironment

        func perform(_ context: DecodeContext) throws(TintypeError) {
            switch self {
            case .good: break
            case .crash: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
            case .abort: Foundation.abort()
            case .trap: Hostility.trap()
            case .overflowStack: _ = Hostility.recurse(1)
            case .hoard: Hostility.hoard()
            case .hoardPixels: try Hostility.hoardPixels()
            case .loop: while Hostility.isTrue { sched_yield() }
            case .wait: while !context.isCancelled() { usleep(1000) }
            case .writeGarbage: Hostility.send([UInt8](repeating: 0xA5, count: 4096))
            case .announce: Hostility.send([0xFF, 0xFF, 0xFF, 0x03, 2, 0])
            case .lieAboutSize: Hostility.send(Hostility.lie)
            case .listFrames: Hostility.send(Hostility.frames)
            case .closeSocket: close(3)
            case .exit: Foundation.exit(0)
            case .fork: Hostility.call(57)
            case .execute: Hostility.execute()
            case .createFile: fclose(fopen("/tmp/tintype-hostile", "w"))
            case .readFile: try Hostility.read("/etc/hostname")
            case .listFolder: try Hostility.list("/")
            case .connect: _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            case .killHost: kill(getppid(), SIGKILL)
            case .signalHost: _ = fcntl(3, F_SETOWN, getppid())
            case .trace: Hostility.call(101)
            case .makeMemory: Hostility.call(319)
            case .startThread: Hostility.startThread()
            case .startThreads: Hostility.startThreads()
            case .mapShared: try Hostility.map(1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS)
            case .mapGrowing: try Hostility.map(1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | 0x100)
            case .remapStack: try Hostility.remapStack()
            case .mapAddresses: try Hostility.map(1 << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
            case .closeLifeline: close(4)
            case .disarmLifeline: try Hostility.disarmLifeline()
            case .abuseStandardError: try Hostility.abuseStandardError()
            case .print: Hostility.print()
            case .readEnvironment: try Hostility.readEnvironment()
            }
            if context.isCancelled() { throw .cancelled }
        }
    }
}

/// The misdeeds.
enum Hostility {
    nonisolated(unsafe) static var isTrue = true

    @inline(never) static func trap() {
        let empty: [Int] = isTrue ? [] : [1]
        _ = empty[0]
    }

    @inline(never) static func recurse(_ depth: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { bytes in
            bytes[0] = UInt8(truncatingIfNeeded: depth)
            return recurse(depth + 1) + Int(bytes[0])
        }
    }

    static func hoard() {
        while isTrue {
            guard let memory = malloc(1 << 20) else {
                // The host samples the memory of a worker every 10 ms, and may have to wait for a processor.
                usleep(2_000_000)
                Foundation.abort()
            }
            memset(memory, 1, 1 << 20)
            keep(memory)
        }
    }

    nonisolated(unsafe) private static var last: UnsafeMutableRawPointer?

    /// Keeps a reference, so that the allocation cannot be left out.
    @inline(never) private static func keep(_ memory: UnsafeMutableRawPointer) { last = memory }

    static func hoardPixels() throws(TintypeError) {
        var all: [PixelBuffer] = []
        while isTrue {
            var writer = try PixelWriter(size: PixelSize(width: 1024, height: 1024))
            writer.clear()
            all.append(writer.finish())
        }
    }

    /// Writes to the socket of the host and waits to be killed.
    static func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(3, $0.baseAddress, $0.count) }
        while isTrue { usleep(1000) }
    }

    /// A system call by its number on x86-64; other machines have other numbers, which do as little good.
    static func call(_ number: Int) {
        // Swift cannot call the variadic syscall(2).
        typealias Function = @convention(c) (Int, Int, Int, Int) -> Int
        guard let address = dlsym(nil, "syscall") else { return }
        _ = unsafeBitCast(address, to: Function.self)(number, 0, 0, 0)
    }

    static func execute() {
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        execv("/bin/true", &arguments)
    }

    static func read(_ path: String) throws(TintypeError) {
        guard let file = fopen(path, "r") else {
            throw TintypeError(.undecodable, stage: .decode, "\(path) cannot be read: \(errno)")
        }
        fclose(file)
    }

    static func list(_ path: String) throws(TintypeError) {
        guard let folder = opendir(path) else {
            throw TintypeError(.undecodable, stage: .decode, "\(path) cannot be listed: \(errno)")
        }
        closedir(folder)
    }

    static func startThread() {
        var thread = pthread_t()
        guard pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { Foundation.abort() }
        pthread_join(thread, nil)
    }

    /// Starts threads until none can be started, and waits to be killed.
    static func startThreads() {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, 32 << 10)
        var thread = pthread_t()
        var count = 0
        while count < 3000, pthread_create(&thread, attributes, { _ in while true { sleep(100) } }, nil) == 0 {
            count += 1
        }
        while isTrue { usleep(1000) }
    }

    private static func refused(_ what: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "\(what) cannot be: \(errno)")
    }

    static func map(_ byteCount: Int, _ protection: Int32, _ flags: Int32) throws(TintypeError) {
        guard mmap(nil, byteCount, protection, flags, -1, 0) != MAP_FAILED else { throw refused("mapped") }
    }

    static func remapStack() throws(TintypeError) {
        var here = 0
        let page = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) & ~4095 }
        // Swift cannot call the variadic mremap(2).
        typealias Function = @convention(c) (UInt, Int, Int, Int32) -> UnsafeMutableRawPointer?
        guard let address = dlsym(nil, "mremap") else { return }
        let moved = unsafeBitCast(address, to: Function.self)(page - 65536, 4096, 1 << 30, 1)
        guard moved != MAP_FAILED else { throw refused("remapped") }
    }

    static func disarmLifeline() throws(TintypeError) {
        guard fcntl(4, F_SETFL, 0) == 0 else { throw refused("disarmed") }
    }

    static func abuseStandardError() throws(TintypeError) {
        var byte: UInt8 = 0
        let isRefused =
            Foundation.read(2, &byte, 1) < 0 && pwrite(2, &byte, 1, 0) < 0 && lseek(2, 0, SEEK_SET) < 0
            && fcntl(2, F_SETFL, O_NONBLOCK) < 0
        if isRefused { throw refused("abused") }
    }

    /// Prints 100,000 lines of 40 bytes, each with a control character.
    static func print() {
        let line = Array("hostile \u{1B}[31m".utf8) + [UInt8](repeating: 0x41, count: 26) + [10]
        for _ in 0..<100_000 { _ = write(2, line, line.count) }
    }

    static func readEnvironment() throws(TintypeError) {
        guard getenv("HOSTILE_SECRET") != nil || getenv("TINTYPE_KEY") != nil else { throw refused("the secret") }
    }

    /// A reply with an image of 1000×1000 pixels in a block that was never granted.
    static let lie: [UInt8] = message(
        numbers: [0, 0], [0, 4], text("hostile"), numbers: [1000, 1000, 1], [0], numbers: [1, 0, 0], [0], numbers: [0],
        numbers: [1000, 1000], [0], numbers: [77], [0, 0, 0, 0])

    /// A reply that announces a billion frames.
    static let frames: [UInt8] = message(numbers: [0, 0], [0, 5], numbers: [1, 2, 2, 0, 1_000_000_000])

    private static func message(
        numbers first: [Int], _ kind: [UInt8], _ name: [UInt8] = [], numbers second: [Int] = [], _ flag: [UInt8] = [],
        numbers third: [Int] = [], _ density: [UInt8] = [], numbers fourth: [Int] = [], numbers fifth: [Int] = [],
        _ place: [UInt8] = [], numbers sixth: [Int] = [], _ end: [UInt8] = []
    ) -> [UInt8] {
        let head = bytes(first) + kind + name + bytes(second) + flag + bytes(third)
        let body = head + density + bytes(fourth) + bytes(fifth) + place + bytes(sixth) + end
        return withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) } + [2] + body
    }

    private static func bytes(_ numbers: [Int]) -> [UInt8] {
        numbers.flatMap { number in withUnsafeBytes(of: Int64(number).littleEndian) { Array($0) } }
    }

    private static func text(_ text: String) -> [UInt8] { bytes([text.utf8.count]) + Array(text.utf8) }
}
