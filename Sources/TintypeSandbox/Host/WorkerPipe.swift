import CTintypeSandbox
import Foundation
import Logging
import TintypeCore

/// A pipe between a worker and the host.
///
/// Used by one thread at a time, like its worker.
final class WorkerPipe {
    private(set) var readingEnd: Int32
    private(set) var writingEnd: Int32

    /// - Parameter waits: Whether reading and writing wait, instead of failing.
    init?(waits: Bool) {
        var ends: [Int32] = [-1, -1]
        guard tintype_pipe(&ends, waits) == 0 else { return nil }
        (readingEnd, writingEnd) = (ends[0], ends[1])
    }

    deinit {
        closeReadingEnd()
        closeWritingEnd()
    }

    func closeReadingEnd() {
        if readingEnd >= 0 { close(readingEnd) }
        readingEnd = -1
    }

    func closeWritingEnd() {
        if writingEnd >= 0 { close(writingEnd) }
        writingEnd = -1
    }
}

/// What a worker prints to standard error: messages of libraries. The kernel drops what does not fit into a pipe (64
/// KB) until the end of an image.
final class WorkerLog {
    private let pipe: WorkerPipe
    private let logger: Logger
    private let worker: pid_t
    /// The number of bytes that may still be logged.
    private var rest = 1 << 20
    private static let capacity = 64 << 10
    /// The longest line.
    private static let maximumLineLength = 1000

    init(_ pipe: WorkerPipe, _ worker: pid_t, _ logger: Logger) {
        (self.pipe, self.worker, self.logger) = (pipe, worker, logger)
    }

    /// Logs what the worker has printed. Does not wait.
    func drain() {
        guard rest > 0, pipe.readingEnd >= 0 else { return }
        let bytes = [UInt8](unsafeUninitializedCapacity: min(rest, Self.capacity)) { buffer, count in
            count = max(read(pipe.readingEnd, buffer.baseAddress, buffer.count), 0)
        }
        rest -= bytes.count
        guard logger.logLevel <= .debug else { return }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line.prefix(Self.maximumLineLength), as: UTF8.self)
            logger.debug("a worker printed: \(text.printable)", metadata: ["worker": "\(worker)"])
        }
    }

    func close() { pipe.closeReadingEnd() }
}
