import CTintypeCurl
import Foundation
import TintypeCore

/// A multi handle of libcurl with its exchanges, connections and sockets. Belongs to one thread.
final class CurlLoop {
    /// How long the thread waits for the next exchange before it ends, in seconds. Idle connections are not kept longer
    /// either: the images of a page follow each other within seconds.
    static let idleTime = 30
    /// How often all transfers are performed, in nanoseconds. libcurl 8.16 sometimes waits no longer for a connection
    /// of HTTP/2 that has input, or has failed; the transfer would last until its time-out.
    private static let checkInterval: UInt64 = 1_000_000_000
    /// The number of idle connections beyond which the oldest is closed.
    private static let maximumIdleCount = 64
    /// The number of unused easy handles that are kept.
    private static let maximumHandleCount = 64

    private let multi: UnsafeMutableRawPointer
    private let wakeup: WakeupDescriptor
    private let poller: OpaquePointer
    private let sockets: CurlSockets
    private var exchanges: [UnsafeMutableRawPointer: CurlExchange] = [:]
    private var handles: [CurlHandle] = []
    /// The exchanges that have stored something for their readers.
    private var changed: [CurlExchange] = []
    /// The exchanges that libcurl has ended in this turn.
    private var ended: [(exchange: CurlExchange, failure: (any Error)?)] = []
    /// The uptime at which all transfers were last performed, or at which there was none, in nanoseconds.
    private var lastCheck: UInt64 = 0

    /// Loads the library if necessary.
    ///
    /// - Throws: `TintypeError.Code.unreachable` when the library cannot be used.
    init(_ wakeup: WakeupDescriptor) throws(TintypeError) {
        try CurlLibrary.load()
        guard wakeup.number >= 0 else {
            throw TintypeError(.unreachable, stage: .load, "the process has no descriptor left for its transfers")
        }
        guard let multi = curl_multi_init() else { throw Self.outOfMemory }
        guard let poller = tintype_poller_create(multi, wakeup.number) else {
            curl_multi_cleanup(multi)
            throw Self.outOfMemory
        }
        tintype_curl_set_multi_number(multi, CURLMOPT_MAXCONNECTS, Self.maximumIdleCount)
        (self.multi, self.poller, self.wakeup) = (multi, poller, wakeup)
        sockets = CurlSockets(poller)
    }

    deinit {
        curl_multi_cleanup(multi)
        for handle in handles { handle.free() }
        tintype_poller_free(poller)
    }

    private static let outOfMemory = TintypeError(.outOfMemory, stage: .load, "libcurl has not enough memory")

    /// Performs commands and all that can be done without waiting.
    func turn(_ commands: [CurlDriver.Command]) {
        for command in commands { perform(command) }
        tintype_poller_perform(poller)
        endFinishedExchanges()
        // Readers are resumed once for all that has arrived in this turn.
        for exchange in changed { exchange.response.notify() }
        changed.removeAll(keepingCapacity: true)
    }

    /// Performs all that is ready, after a wait until a socket is ready, a time-out has passed, or the descriptor was
    /// signalled.
    ///
    /// - Parameter hasCommands: Whether not to wait, since there are commands.
    /// - Returns: Whether there was nothing to do for ``idleTime``.
    func wait(hasCommands: Bool) -> Bool {
        let isIdle = exchanges.isEmpty
        let start = DispatchTime.now().uptimeNanoseconds
        let limit = isIdle ? Self.idleTime * 1000 : Int(Self.checkInterval / 1_000_000)
        if tintype_poller_wait(poller, hasCommands ? 0 : Int32(limit)) { wakeup.clear() }
        let now = DispatchTime.now().uptimeNanoseconds
        if isIdle {
            lastCheck = now
        } else if now - lastCheck >= Self.checkInterval {
            tintype_poller_perform_all(poller)
            lastCheck = now
        }
        return isIdle && now - start >= UInt64(Self.idleTime) * 1_000_000_000
    }

    /// Notes that an exchange has stored something for its reader.
    func noteChange(of exchange: CurlExchange) {
        if changed.last !== exchange { changed.append(exchange) }
    }

    // MARK: Exchanges

    private func perform(_ command: CurlDriver.Command) {
        switch command {
        case .start(let exchange): start(exchange)
        case .cancel(let exchange): end(exchange)
        case .resume(let exchange): exchange.continueBody()
        }
    }

    private func start(_ exchange: CurlExchange) {
        // Its command to cancel follows.
        guard !exchange.response.hasEnded else { return }
        let used = exchange.request.sharesHandle ? handles.popLast() : nil
        guard let handle = used ?? CurlHandle() else { return exchange.response.finish(Self.outOfMemory) }
        do throws(TransportFailure) {
            try exchange.begin(on: handle, in: self, sockets)
            exchanges[handle.pointer] = exchange
            guard curl_multi_add_handle(multi, handle.pointer) == CURLM_OK else {
                end(exchange)
                return exchange.response.finish(Self.outOfMemory)
            }
        } catch {
            recycle(handle, of: exchange.request)
            exchange.response.finish(error)
        }
    }

    private func endFinishedExchanges() {
        var count: Int32 = 0
        while let message = curl_multi_info_read(multi, &count)?.pointee {
            guard message.msg == CURLMSG_DONE, let pointer = message.easy_handle, let exchange = exchanges[pointer]
            else { continue }
            let failure = exchange.failure(message.data.result)
            end(exchange)
            ended.append((exchange, failure))
        }
        // Their readers are resumed one right after the other, so that the first one wakes a thread for all of them.
        for (exchange, failure) in ended { exchange.response.finish(failure) }
        ended.removeAll(keepingCapacity: true)
    }

    /// Removes an exchange, which closes its connection unless the response was complete.
    private func end(_ exchange: CurlExchange) {
        guard let handle = exchange.handle else { return }
        exchange.prepareEnd()
        curl_multi_remove_handle(multi, handle.pointer)
        exchanges[handle.pointer] = nil
        exchange.end()
        recycle(handle, of: exchange.request)
    }

    private func recycle(_ handle: CurlHandle, of request: TransportRequest) {
        guard request.sharesHandle, handles.count < Self.maximumHandleCount else { return handle.free() }
        handles.append(handle)
    }
}

/// An easy handle of libcurl, with its options, and a buffer for the text of an error. Belongs to the thread of its
/// loop.
final class CurlHandle {
    let pointer: UnsafeMutableRawPointer
    private let message: UnsafeMutablePointer<CChar>
    /// The options that are set; `nil` if they are not known.
    private var options: CurlOptions?

    /// Returns `nil` if there is not enough memory.
    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    /// Sets all options for a request, unless they are set.
    ///
    /// - Throws: The errors of ``CurlOptions/apply(to:)``.
    func prepare(for request: TransportRequest) throws(TransportFailure) {
        message[0] = 0
        if let options, options.fit(request) { return try options.setURL(request.url, of: pointer) }
        curl_easy_reset(pointer)
        tintype_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
        let options = CurlOptions(request)
        self.options = nil
        try options.apply(to: pointer)
        self.options = options
    }

    func free() {
        curl_easy_cleanup(pointer)
        message.deallocate()
        options = nil
    }

    /// The text of the error of the last transfer; that of its code if there is none.
    func message(of code: CURLcode) -> String {
        let own = String(cString: message)
        return own.isEmpty ? curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)" : own
    }
}
