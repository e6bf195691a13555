import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Waiting for a network.
@Suite(.timeLimited) struct NetworkMonitorTests {
    private let isConnected = Shared(false)
    /// The other end of each descriptor that the monitor has opened.
    private let changes = Shared<[Int32]>([])

    private func monitor() -> NetworkMonitor {
        NetworkMonitor(
            isConnected: { [isConnected] in isConnected.now },
            openChanges: { [changes] in
                var ends: [Int32] = [-1, -1]
                let result = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
                #expect(result == 0)
                changes.withLock { $0.append(ends[0]) }
                return ends[1]
            })
    }

    /// Announces a change, as the kernel does.
    private func announce() {
        for end in changes.now { _ = send(end, [1], 1, Int32(MSG_NOSIGNAL)) }
    }

    /// Waits until the monitor has closed its descriptors, which its threads do at their end.
    private func waitForTheEndOfThreads() async {
        for end in changes.now {
            let events = await onNewThread {
                var polled = pollfd(fd: end, events: 0, revents: 0)
                while poll(&polled, 1, -1) < 0 {}
                return polled.revents
            }
            #expect(events & Int16(POLLHUP) != 0)
            close(end)
        }
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
        await changes.wait { !$0.isEmpty }
        // A change that brings no network.
        announce()
        #expect(!monitor.isConnected)
        isConnected.withLock { $0 = true }
        announce()
        for wait in waits { try await wait.value }
        #expect(changes.now.count == 1)
        await waitForTheEndOfThreads()
    }

    @Test func aCancelledWaitEndsAtOnce() async {
        let monitor = monitor()
        let wait = Task { try await monitor.waitUntilConnected() }
        await changes.wait { !$0.isEmpty }
        wait.cancel()
        await expectError(.cancelled) { try await wait.value }
        // The thread ends when it sees that nobody waits.
        announce()
        await waitForTheEndOfThreads()
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
