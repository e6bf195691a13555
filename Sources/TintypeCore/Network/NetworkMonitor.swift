import CEventFD
import Foundation

/// Tells whether the machine has a network, and whether it is metered, and waits for one.
///
/// A machine has a network if an interface other than loopback is running and has an address that is not link-local.
/// This does not mean that any server can be reached. While a caller waits, one thread listens to the kernel
/// (rtnetlink(7)). Without waiting callers, the monitor has neither a thread nor a socket.
///
/// ```swift
/// downloads.retry = RetryPolicy(maximumAttempts: 3)
/// downloads.reconnection = { try await NetworkMonitor.shared.waitUntilConnected() }
/// ```
public final class NetworkMonitor: Sendable {
    /// The process-wide monitor.
    public static let shared = NetworkMonitor(
        isConnected: { InterfaceAddress.all().contains(where: \.isUsable) },
        openChanges: {
            let type = SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            return tintype_open_network_changes(AF_NETLINK, Int32(type))
        })

    private struct State: Sendable {
        var waiters: [Int: SharedPromise<Void>] = [:]
        var lastNumber = 0
        var isWatching = false

        mutating func add(_ waiter: SharedPromise<Void>) -> Int {
            lastNumber += 1
            waiters[lastNumber] = waiter
            return lastNumber
        }

        /// Returns whether the thread must continue. If no caller waits, records that the thread has ended.
        mutating func continueWatching() -> Bool {
            isWatching = !waiters.isEmpty
            return isWatching
        }
    }

    /// Whether NetworkManager considered the network metered when it was last asked, such as a connection through a
    /// mobile phone; `false` before its first answer. Never waits.
    ///
    /// If the last answer is more than 30 seconds old, a thread asks again in the background. A machine without
    /// NetworkManager has no metered network.
    ///
    /// ```swift
    /// configuration.savesData = { NetworkMonitor.shared.isMetered }
    /// ```
    public var isMetered: Bool { MeteredNetwork.shared.isMetered }

    private let state = Locked(State())
    private let check: @Sendable () -> Bool
    private let openChanges: @Sendable () -> Int32

    /// - Parameters:
    ///   - isConnected: Returns whether there is a network.
    ///   - openChanges: Opens a non-blocking descriptor that becomes readable when that may have changed, or returns
    ///     −1. The monitor closes it.
    init(isConnected: @escaping @Sendable () -> Bool, openChanges: @escaping @Sendable () -> Int32) {
        (check, self.openChanges) = (isConnected, openChanges)
    }

    /// Whether the machine has a network. Takes a few microseconds. May be called from any thread.
    public var isConnected: Bool { check() }

    /// Waits until the machine has a network. Returns at once if it already has one.
    ///
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled first.
    public func waitUntilConnected() async throws(TintypeError) {
        guard !isConnected else { return }
        let waiter = SharedPromise<Void>()
        let (number, isFirst) = state.withLock { state in
            defer { state.isWatching = true }
            return (state.add(waiter), !state.isWatching)
        }
        if isFirst { Thread.detachNewThread { self.watch() } }
        await waiter.wait()
        let wasWaiting = state.withLock { $0.waiters.removeValue(forKey: number) != nil }
        // The monitor's thread removes a waiter only when the machine has a network.
        if wasWaiting { throw .cancelled }
    }

    /// Wakes the waiters when there is a network. Ends when nobody waits any more.
    private func watch() {
        ThreadName.set("tintype.network")
        let descriptor = openChanges()
        // Checked once after opening, because the network may have become available before.
        while state.withLock({ $0.continueWatching() }) {
            if check() {
                let waiters = state.withLock { state in
                    defer { state.waiters = [:] }
                    return state.waiters.values
                }
                for waiter in waiters { waiter.fulfill(()) }
            } else {
                Self.waitForChange(descriptor)
            }
        }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Blocks until a descriptor is readable, at most for some seconds: waiters may have been cancelled, and without a
    /// descriptor the network must be checked again.
    private static func waitForChange(_ descriptor: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 5000) > 0 else { return }
        var message = [UInt8](repeating: 0, count: 8192)
        while read(descriptor, &message, message.count) > 0 {}
    }
}

/// One address of one network interface of the machine.
struct InterfaceAddress: Hashable, Sendable {
    /// The flags of the interface (netdevice(7)).
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt32
        static let up = Flags(rawValue: 0x1)
        static let loopback = Flags(rawValue: 0x8)
        static let running = Flags(rawValue: 0x40)
    }

    let flags: Flags
    /// The bytes of an IPv4 or IPv6 address.
    let bytes: [UInt8]

    /// Whether packets can leave the machine, and its link, through this address.
    var isUsable: Bool {
        flags.isSuperset(of: [.up, .running]) && !flags.contains(.loopback) && !isLinkLocal
    }

    /// Whether the address is valid on its link alone (RFC 3927; RFC 4291, 2.5.6).
    private var isLinkLocal: Bool {
        switch bytes.count {
        case 4: bytes[0] == 169 && bytes[1] == 254
        case 16: bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        default: true
        }
    }

    /// Returns the addresses of all interfaces.
    static func all() -> [InterfaceAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var (addresses, next) = ([InterfaceAddress](), first)
        while let entry = next {
            if let address = InterfaceAddress(entry.pointee) { addresses.append(address) }
            next = entry.pointee.ifa_next
        }
        return addresses
    }

    init(flags: Flags, bytes: [UInt8]) {
        (self.flags, self.bytes) = (flags, bytes)
    }

    /// - Returns: `nil` for an interface without an address, and for addresses other than IPv4 and IPv6.
    private init?(_ entry: ifaddrs) {
        guard let address = entry.ifa_addr else { return nil }
        let raw = UnsafeRawPointer(address)
        let bytes: [UInt8]
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
        self.init(flags: Flags(rawValue: entry.ifa_flags), bytes: bytes)
    }
}
