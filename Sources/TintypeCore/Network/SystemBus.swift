import Foundation

/// A client that makes one call to a service on the system bus (D-Bus Specification 0.43). It does not use libdbus,
/// which every program would have to link.
struct SystemBus: Sendable {
    /// The path of the bus's socket.
    let path: String
    /// The time limit of the whole call.
    var patience = Duration.seconds(2)
    var time = TimeSource.system

    /// The bus that the environment names, if it is a socket in the file system, and otherwise the standard one.
    static var standard: SystemBus {
        let address = ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
        let prefix = "unix:path="
        let path =
            address.hasPrefix(prefix) ? String(address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" }) : ""
        return SystemBus(path: path.isEmpty ? "/run/dbus/system_bus_socket" : path)
    }

    /// The number of messages, such as signals, that may come before the reply.
    private static let maximumMessageCount = 16

    /// Asks NetworkManager whether the network is metered (`NMMetered`). Blocks, usually for less than a millisecond,
    /// at most for ``patience``.
    ///
    /// - Returns: `nil` if there is no bus, no NetworkManager, or no valid reply in time.
    func meteredProperty() -> UInt32? {
        let deadline = BusDeadline(after: patience, time)
        guard let socket = BusSocket(connectedTo: path, until: deadline), Self.logIn(to: socket) else { return nil }
        let manager = "org.freedesktop.NetworkManager"
        let greeting = BusCall(
            path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "Hello",
            destination: "org.freedesktop.DBus")
        let question = BusCall(
            path: "/org/freedesktop/NetworkManager", interface: "org.freedesktop.DBus.Properties", member: "Get",
            destination: manager, arguments: [manager, "Metered"])
        guard socket.send(Array("BEGIN\r\n".utf8) + greeting.bytes(serial: 1) + question.bytes(serial: 2)) else {
            return nil
        }
        for _ in 0..<Self.maximumMessageCount {
            guard let message = BusReply(readingFrom: socket) else { return nil }
            if message.answered == 2 { return message.number }
        }
        return nil
    }

    /// Authenticates with the user ID of the process, which the bus verifies through the kernel.
    private static func logIn(to socket: borrowing BusSocket) -> Bool {
        let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
        guard socket.send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8)) else { return false }
        var line: [UInt8] = []
        while line.count < 256, line.last != UInt8(ascii: "\n") {
            guard let byte = socket.read(1) else { return false }
            line += byte
        }
        return line.starts(with: Array("OK ".utf8))
    }
}

/// A call of a method with strings as arguments.
struct BusCall {
    var path: String
    var interface: String
    var member: String
    var destination: String
    var arguments: [String] = []

    /// The message in little-endian form. It does not start a service that does not run.
    func bytes(serial: UInt32) -> [UInt8] {
        var body = BusWriter()
        for argument in arguments { body.add(argument) }
        var fields = BusWriter()
        for (code, type, value) in [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)] {
            fields.addField(UInt8(code), type) { $0.add(value) }
        }
        if !arguments.isEmpty {
            let signature = String(repeating: "s", count: arguments.count)
            fields.addField(8, "g") { $0.addSignature(signature) }
        }
        let noAutoStart: UInt8 = 2
        var message = BusWriter()
        message.bytes = [UInt8(ascii: "l"), 1, noAutoStart, 1]
        for number in [UInt32(body.bytes.count), serial, UInt32(fields.bytes.count)] { message.add(number) }
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body.bytes
    }
}

/// Bytes in D-Bus's wire format, in little-endian form. Alignment counts from the first byte.
struct BusWriter {
    var bytes: [UInt8] = []

    mutating func align(to size: Int) {
        while bytes.count % size != 0 { bytes.append(0) }
    }

    mutating func add(_ number: UInt32) {
        align(to: 4)
        withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
    }

    mutating func add(_ text: String) {
        add(UInt32(text.utf8.count))
        bytes += Array(text.utf8) + [0]
    }

    mutating func addSignature(_ signature: String) {
        bytes += [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
    }

    /// Adds a field of a header: its code, and a value of any type.
    mutating func addField(_ code: UInt8, _ type: String, _ addValue: (inout BusWriter) -> Void) {
        align(to: 8)
        bytes.append(code)
        addSignature(type)
        addValue(&self)
    }
}

/// The parts of a received message that matter: which call it answers, and the number that it carries.
struct BusReply {
    /// The largest message that is read. Replies have some dozen bytes.
    private static let maximumByteCount = 64 << 10

    /// The serial of the answered call; `nil` for signals and calls.
    private(set) var answered: UInt32?
    /// The number, if the reply is not an error and its body is a variant that contains a 32-bit unsigned integer.
    private(set) var number: UInt32?

    /// Reads the next message.
    ///
    /// - Returns: `nil` if it does not arrive in time, or is not valid.
    init?(readingFrom socket: borrowing BusSocket) {
        guard let head = socket.read(16), head[3] == 1, [UInt8(ascii: "l"), UInt8(ascii: "B")].contains(head[0]) else {
            return nil
        }
        let isBigEndian = head[0] == UInt8(ascii: "B")
        var reader = BusReader(bytes: head[4...], isBigEndian: isBigEndian)
        guard let bodyCount = reader.number(), reader.number() != nil, let fieldsCount = reader.number(),
            bodyCount <= Self.maximumByteCount, fieldsCount <= Self.maximumByteCount,
            let fields = socket.read((Int(fieldsCount) + 7) / 8 * 8), let body = socket.read(Int(bodyCount))
        else { return nil }
        let (methodReturn, error): (UInt8, UInt8) = (2, 3)
        guard [methodReturn, error].contains(head[1]) else { return }
        answered = BusReader(bytes: fields.prefix(Int(fieldsCount)), isBigEndian: isBigEndian).field(5)
        guard head[1] == methodReturn else { return }
        var value = BusReader(bytes: body[...], isBigEndian: isBigEndian)
        if value.signature() == [UInt8(ascii: "u")] { number = value.number() }
    }
}

/// Reads bytes in D-Bus's wire format. Every read returns `nil` beyond the end.
struct BusReader {
    private let bytes: [UInt8]
    private let isBigEndian: Bool
    private var offset = 0

    init(bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
        self.bytes = Array(bytes)
        self.isBigEndian = isBigEndian
    }

    mutating func number() -> UInt32? {
        align(to: 4)
        guard let four = take(4) else { return nil }
        let inOrder = isBigEndian ? four : Array(four.reversed())
        return inOrder.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Reads a signature: its length in one byte, its types, and a zero.
    mutating func signature() -> [UInt8]? {
        guard let count = take(1), let types = take(Int(count[0])), take(1) != nil else { return nil }
        return types
    }

    /// Returns the number in a field of a header, if there is one before a field of an unknown type.
    func field(_ code: UInt8) -> UInt32? {
        var reader = self
        while true {
            reader.align(to: 8)
            guard let next = reader.take(1), let type = reader.signature() else { return nil }
            switch type {
            case [UInt8(ascii: "u")]:
                guard let number = reader.number() else { return nil }
                if next[0] == code { return number }
            case [UInt8(ascii: "s")], [UInt8(ascii: "o")]:
                guard let count = reader.number(), reader.take(Int(count) + 1) != nil else { return nil }
            case [UInt8(ascii: "g")]:
                guard reader.signature() != nil else { return nil }
            default: return nil
            }
        }
    }

    private mutating func align(to size: Int) {
        offset = (offset + size - 1) / size * size
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard offset <= bytes.count, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }
}

/// The deadline of a call.
struct BusDeadline: Sendable {
    private let end: Duration
    private let time: TimeSource

    init(after patience: Duration, _ time: TimeSource) {
        end = time.uptime() + patience
        self.time = time
    }

    /// The time left in milliseconds; 0 after the deadline.
    var milliseconds: Int32 {
        let rest = (end - time.uptime()) / .milliseconds(1)
        return Int32(max(0, min(rest, 1_000_000)))
    }
}

/// A connection to a socket in the file system. Connecting, reads and writes take until one deadline at most.
struct BusSocket: ~Copyable {
    private let descriptor: Int32
    private let deadline: BusDeadline

    /// - Returns: `nil` if there is no socket at the path, or its server refuses.
    init?(connectedTo path: String, until deadline: BusDeadline) {
        // Only set when it is open: the deinitializer closes it.
        guard let open = Self.connect(to: path, until: deadline) else { return nil }
        descriptor = open
        self.deadline = deadline
    }

    private static func connect(to path: String, until deadline: BusDeadline) -> Int32? {
        guard var address = address(of: path) else { return nil }
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(AF_UNIX, Int32(type), 0)
        guard descriptor >= 0 else { return nil }
        // connect(2) blocks while the server's queue is full. A timeout of 0 would mean no limit.
        let milliseconds = Int(max(1, deadline.milliseconds))
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// - Returns: `nil` if the path is too long.
    static func address(of path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isTooLong = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            guard path.utf8.count < bytes.count else { return true }
            bytes.copyBytes(from: path.utf8)
            return false
        }
        return isTooLong ? nil : address
    }

    deinit { close(descriptor) }

    /// Sends all bytes, and returns whether it could. A new connection has room for the few hundred bytes of a
    /// question.
    func send(_ bytes: [UInt8]) -> Bool {
        // MSG_NOSIGNAL: if the bus closes the connection, SIGPIPE would end the process.
        Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads exactly this number of bytes; `nil` if they do not arrive in time.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var end = 0
        while end < count {
            guard waitForBytes() else { return nil }
            let received = bytes.withUnsafeMutableBytes { bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
                return recv(descriptor, rest.baseAddress, rest.count, 0)
            }
            guard received > 0 else { return nil }
            end += received
        }
        return bytes
    }

    /// Returns whether bytes, or the end, have arrived in time. A signal does not end the wait.
    private func waitForBytes() -> Bool {
        while true {
            let milliseconds = deadline.milliseconds
            guard milliseconds > 0 else { return false }
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&state, 1, milliseconds)
            guard count < 0, errno == EINTR else { return count > 0 }
        }
    }
}
