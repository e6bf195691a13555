import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// Waiting for a network.
@Suite(.timeLimit(.minutes(15))) struct NetworkMonitorTests {
    private let isConnected = Shared(false)
    /// Both ends of a pipe for each time that the monitor has opened changes.
    private let changes = Shared<[[Int32]]>([])

    private func monitor() -> NetworkMonitor {
        NetworkMonitor(
            isConnected: { [isConnected] in isConnected.now },
            openChanges: { [changes] in
                var ends: [Int32] = [-1, -1]
                let result = pipe(&ends)
                #expect(result == 0)
                _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
                changes.withLock { $0.append(ends) }
                // A copy, because a write to a pipe without a reader would end the process.
                return dup(ends[0])
            })
    }

    /// Announces a change, as the kernel does.
    private func announce() {
        for ends in changes.now { _ = [UInt8(1)].withUnsafeBytes { Foundation.write(ends[1], $0.baseAddress, 1) } }
    }

    private func closeChanges() {
        for end in changes.now.flatMap(\.self) { close(end) }
    }

    @Test func aMonitorWithANetworkStartsNothing() async throws {
        isConnected.withLock { $0 = true }
        let monitor = monitor()
        try await monitor.waitUntilConnected()
        #expect(monitor.isConnected && changes.now.isEmpty)
    }

    @Test func theWaitEndsWhenTheNetworkComes() async throws {
        let monitor = monitor()
        let waits = (0..<3).map { _ in Task { try await monitor.waitUntilConnected() } }
        while changes.now.isEmpty { await Task.yield() }
        // A change that brings no network.
        announce()
        #expect(!monitor.isConnected)
        isConnected.withLock { $0 = true }
        announce()
        for wait in waits { try await wait.value }
        #expect(changes.now.count == 1)
        closeChanges()
    }

    @Test func aCancelledWaitEndsAtOnce() async {
        let monitor = monitor()
        let wait = Task { try await monitor.waitUntilConnected() }
        while changes.now.isEmpty { await Task.yield() }
        wait.cancel()
        await expect(.cancelled) { try await wait.value }
        // The thread ends when it sees that nobody waits.
        announce()
        closeChanges()
    }

    @Test(
        arguments: [
            ([192, 168, 0, 2], 0x41, true), ([192, 168, 0, 2], 0x1, false), ([192, 168, 0, 2], 0x40, false),
            ([127, 0, 0, 1], 0x49, false), ([169, 254, 3, 4], 0x41, false), ([], 0x41, false),
            ([0xFE, 0x80] + Array(repeating: 0, count: 14), 0x41, false),
            ([0x20, 0x01] + Array(repeating: 0, count: 14), 0x41, true),
        ] as [([UInt8], UInt32, Bool)])
    func anAddressIsUsableIfPacketsCanLeaveItsLink(_ bytes: [UInt8], _ flags: UInt32, _ isUsable: Bool) {
        let address = InterfaceAddress(flags: InterfaceAddress.Flags(rawValue: flags), bytes: bytes)
        #expect(address.isUsable == isUsable)
    }

    @Test func theAddressesOfThisMachineAreRead() {
        let addresses = InterfaceAddress.all()
        #expect(addresses.allSatisfy { $0.bytes.count == 4 || $0.bytes.count == 16 })
        #expect(addresses.contains { $0.bytes == [127, 0, 0, 1] && $0.flags.contains(.loopback) && !$0.isUsable })
    }
}
