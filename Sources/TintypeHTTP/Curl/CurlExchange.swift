import CTintypeCurl
import Foundation
import TintypeCore

/// One exchange over libcurl: the functions that libcurl calls during it, and what they have found.
///
/// `@unchecked Sendable` because all but the request, the response and the driver belongs to the thread of the loop.
final class CurlExchange: TransportExchange, @unchecked Sendable {
    let request: TransportRequest
    let response: TransportResponse
    private let driver: CurlDriver

    private(set) var handle: CurlHandle?
    private unowned(unsafe) var loop: CurlLoop?
    private unowned(unsafe) var sockets: CurlSockets?
    private var head = HeadReader()
    /// Whether lines of the head come as parts of the body before libcurl reads them: see ``CurlLibrary/needsPreview``.
    private var previewsLines = false
    /// The number of bytes of the current line that were previewed.
    private var previewCount = 0
    /// The number of times that the request was about to be sent.
    private var sendCount = 0
    private var hasOpenedSocket = false
    /// The socket that was opened last.
    private var openedSocket: Int32?
    /// The address of the server or of the proxy; `nil` before the request is sent.
    private var remoteAddress: String?
    private var socket: CurlSocket?
    /// The input of the socket, counted when the last part of this response arrived.
    private var inputCount = 0
    /// The reason for which a function has ended the exchange.
    private var ownFailure: (any Error)?
    /// The refusal of the last address that was not allowed.
    private var refusal: TintypeError?
    /// Whether the next part of the body has to wait.
    private var isPaused = false

    init(_ request: TransportRequest, _ response: TransportResponse, _ driver: CurlDriver) {
        (self.request, self.response, self.driver) = (request, response, driver)
    }

    func cancel() { driver.submit(.cancel(self)) }

    func resume() { driver.submit(.resume(self)) }

    // MARK: Called by the loop

    /// Prepares a handle for the exchange.
    ///
    /// - Throws: ``TransportFailure/Kind/invalidRequest``, or ``TransportFailure/Kind/insecure`` for a certificate that
    ///   cannot be used.
    func begin(on handle: CurlHandle, in loop: CurlLoop, _ sockets: CurlSockets) throws(TransportFailure) {
        try handle.prepare(for: request)
        let context = Unmanaged.passUnretained(self).toOpaque()
        withUnsafePointer(to: Self.calls) { tintype_curl_set_calls(handle.pointer, $0, context) }
        tintype_curl_set_close(handle.pointer, Self.closeSocket, Unmanaged.passUnretained(sockets).toOpaque())
        (self.handle, self.loop, self.sockets) = (handle, loop, sockets)
        if request.previewsHead { setPreview(true) }
    }

    /// Receives the rest of the body.
    func continueBody() {
        guard let handle else { return }
        isPaused = false
        curl_easy_pause(handle.pointer, CURLPAUSE_CONT)
    }

    /// Called before the exchange is removed. A connection over which nothing came while the response timed out does
    /// not get further requests: its server may be gone, and over HTTP/2, libcurl would keep it.
    func prepareEnd() {
        if response.hasTimedOut, let socket, socket.inputCount == inputCount { socket.shutDown() }
    }

    /// Forgets the handle, after the end of the exchange.
    func end() {
        socket?.userCount -= 1
        (handle, loop, sockets, socket) = (nil, nil, nil, nil)
    }

    /// The error of the exchange; `nil` if the response is complete.
    func failure(_ code: CURLcode) -> (any Error)? {
        if let ownFailure { return ownFailure }
        if code == CURLE_OK {
            return head.isComplete
                ? nil
                : TransportFailure(.closed, "the server closed the connection before the end of the header fields")
        }
        if code == CURLE_COULDNT_CONNECT, let refusal { return refusal }
        let isUnconnected = handle.map { tintype_curl_time($0.pointer, CURLINFO_PRETRANSFER_TIME_T) <= 0 } ?? true
        var failure = TransportFailure(
            code, handle?.message(of: code) ?? "", isUnconnected: isUnconnected && sendCount == 0,
            usesProxy: request.proxy != nil)
        // libcurl has tried to send it again. The server may have processed it the first time.
        if sendCount > 0, failure.kind == .unreachable || failure.kind == .connectTimedOut { failure.kind = .closed }
        return failure
    }

    // MARK: Called by libcurl

    private static let calls = tintype_curl_calls(
        header: { bytes, size, count, context in
            exchange(context)?.receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) == true
                ? size * count : 0
        },
        body: { bytes, size, count, context in
            exchange(context)?.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        },
        open: { context, _, address in exchange(context)?.openSocket(address) ?? CURL_SOCKET_BAD },
        request: { context, remoteAddress, localAddress, remotePort, localPort in
            guard let remoteAddress, let localAddress, let exchange = exchange(context) else {
                return CURL_PREREQFUNC_ABORT
            }
            let ends = CurlSockets.Ends(
                localAddress: String(cString: localAddress), localPort: localPort,
                remoteAddress: String(cString: remoteAddress), remotePort: remotePort)
            return exchange.beginRequest(over: ends) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        })

    private static let closeSocket: @convention(c) (UnsafeMutableRawPointer?, curl_socket_t) -> Int32 = {
        context, descriptor in
        guard let context else { return 1 }
        Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
        return 0
    }

    private static func exchange(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Opens a socket, unless the address is not allowed.
    private func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        hasOpenedSocket = true
        // The program has chosen the proxy.
        if request.proxy == nil, let check = request.addressCheck {
            do throws(TintypeError) {
                try check(Self.text(of: address))
            } catch {
                refusal = error
                return CURL_SOCKET_BAD
            }
        }
        openedSocket = sockets?.open(address)
        return openedSocket ?? CURL_SOCKET_BAD
    }

    /// The text of an address, such as `10.0.0.5` or `fe80::1`; empty if it is of another family.
    private static func text(of address: UnsafePointer<curl_sockaddr>) -> String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { tintype_curl_address_text(address, $0.baseAddress, $0.count) }
        }
    }

    /// Decides whether the request is sent over a connection.
    private func beginRequest(over ends: CurlSockets.Ends) -> Bool {
        sendCount += 1
        // The connection was closed before a response. libcurl sends any request again, although the server may have
        // processed it.
        guard sendCount == 1 || request.isIdempotent else {
            return refuse(TransportFailure(.closed, "the server closed the connection before it responded"))
        }
        // The name may have had another address, or the guard may be another one, when the connection was opened.
        if request.proxy == nil, let check = request.addressCheck {
            do throws(TintypeError) { try check(ends.remoteAddress) } catch { return refuse(error) }
        }
        let socket = sockets?.socket(of: ends, opened: openedSocket)
        guard let pointer = handle?.pointer else { return false }
        guard hasOpenedSocket || socket?.isReusable(for: pointer) == true else {
            socket?.shutDown()
            return refuse(TransportFailure(.unsent, "the idle connection has unexpected input"))
        }
        self.socket?.userCount -= 1
        socket?.userCount += 1
        (self.socket, remoteAddress, inputCount) = (socket, ends.remoteAddress, socket?.inputCount ?? 0)
        response.connect(connection)
        hasOpenedSocket = false
        return true
    }

    private func refuse(_ error: any Error) -> Bool {
        ownFailure = error
        return false
    }

    /// - Returns: Whether the exchange continues.
    private func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        do throws(TransportFailure) {
            let read = try head.read(line)
            if previewsLines { endLinePreview() }
            guard let read else { return true }
            noteInput()
            let version = HeadReader.versions[read.version] ?? .http1
            guard version <= request.highestVersion else {
                return refuse(TransportFailure(.malformed, "the response is not valid: the version \(read.version)"))
            }
            socket?.isMultiplexed = version > .http1
            response.store(read)
            loop?.noteChange(of: self)
            return true
        } catch {
            return refuse(error)
        }
    }

    /// - Returns: The number of bytes, or `CURL_WRITEFUNC_PAUSE`.
    private func receiveBody(_ part: UnsafeRawBufferPointer) -> Int {
        guard head.isComplete else { return previewLine(part) ? part.count : 0 }
        // libcurl reads on until it is told of the end.
        guard !response.hasEnded else { return 0 }
        guard !isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
        noteInput()
        isPaused = response.store(part) == .pause
        loop?.noteChange(of: self)
        return part.count
    }

    /// Takes a piece of a line of the head before libcurl reads the line.
    ///
    /// - Returns: Whether libcurl may read it.
    private func previewLine(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard previewsLines else { return refuse(HeadReader.withoutHead) }
        guard previewCount > 0 || !head.isContinuationWithoutField(piece) else {
            return refuse(HeadReader.withoutName)
        }
        previewCount += piece.count
        return true
    }

    /// Ends the preview of lines with the first field: a continuation then continues a field of this response.
    private func endLinePreview() {
        previewCount = 0
        if head.hasField || head.isComplete { setPreview(false) }
    }

    private func setPreview(_ isOn: Bool) {
        previewsLines = isOn
        if let handle { tintype_curl_set_number(handle.pointer, CURLOPT_HEADER, isOn ? 1 : 0) }
    }

    private func noteInput() {
        if let socket { inputCount = socket.noteInput() }
    }

    /// What is known about the connection when the request is about to be sent.
    private var connection: TransportConnection {
        var connection = TransportConnection()
        guard let pointer = handle?.pointer else { return connection }
        connection.address = remoteAddress
        connection.isReused = !hasOpenedSocket
        guard hasOpenedSocket else { return connection }
        let lookup = tintype_curl_time(pointer, CURLINFO_NAMELOOKUP_TIME_T)
        let connected = tintype_curl_time(pointer, CURLINFO_CONNECT_TIME_T)
        let secured = tintype_curl_time(pointer, CURLINFO_APPCONNECT_TIME_T)
        if IPAddress(request.url.plainHost) == nil { connection.nameLookup = .microseconds(max(0, lookup)) }
        connection.connecting = .microseconds(max(0, connected - lookup))
        if secured > 0 { connection.handshake = .microseconds(max(0, secured - connected)) }
        connection.roundTrip = socket?.roundTrip
        return connection
    }
}
