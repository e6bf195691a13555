import Foundation
import TestSupport
import Testing
import TintypeCore

@testable import TintypeRedis

/// Hands commands to a thread, without the thread.
@Suite struct RedisInboxTests {
    private let call = RedisInbox.Command.call(RedisCall(RESPCommand("PING"), .control), server: 0)

    /// Adds the first command.
    ///
    /// - Returns: What wakes the thread.
    private func start(_ inbox: RedisInbox) throws -> WakeupDescriptor {
        guard case .start(let wakeup) = inbox.add(call) else { throw POSIXError(.EINVAL) }
        return wakeup
    }

    private func isSignalled(_ wakeup: WakeupDescriptor) -> Bool {
        var entry = pollfd(fd: wakeup.number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    @Test func theFirstCommandStartsTheThread() throws {
        let inbox = RedisInbox()
        _ = try start(inbox)
        guard case .none = inbox.add(call) else {
            Issue.record("started twice")
            return
        }
        #expect(inbox.take().commands.count == 2 && inbox.take().commands.isEmpty)
    }

    @Test func onlyAThreadThatWaitsIsWoken() throws {
        let inbox = RedisInbox()
        let wakeup = try start(inbox)
        #expect(!inbox.beginWaiting() && !isSignalled(wakeup))
        _ = inbox.take()
        #expect(inbox.beginWaiting())
        _ = inbox.add(call)
        #expect(isSignalled(wakeup))
        wakeup.clear()
        _ = inbox.add(call)
        #expect(!isSignalled(wakeup) && inbox.take().commands.count == 2)
        #expect(inbox.beginWaiting())
        inbox.endWaiting()
        _ = inbox.add(call)
        #expect(!isSignalled(wakeup))
    }

    @Test func aClosedInboxTakesNothingButKeepsWhatItHas() throws {
        let inbox = RedisInbox()
        let wakeup = try start(inbox)
        inbox.close()
        #expect(isSignalled(wakeup))
        guard case .refused(let error) = inbox.add(call) else {
            Issue.record("accepted")
            return
        }
        let (commands, isClosed) = inbox.take()
        #expect(error.code == .invalidated && commands.count == 1 && isClosed && !inbox.beginWaiting())
    }

    @Test func aCallTakesTheFirstResult() async {
        let call = RedisCall(RESPCommand("PING"), .control)
        #expect(!call.isFinished)
        call.finish(.success(.null))
        call.finish(.failure(.cancelled))
        let reply = try? await call.wait()
        #expect(call.isFinished && reply == .null)
    }
}

@Suite struct SocketAddressTests {
    @Test func addressesNeedNoResolver() throws {
        let families = try ["127.0.0.1", "::1"].map {
            try SocketAddress.addresses(of: $0, port: 1, isNumeric: true).map(\.family)
        }
        #expect(families == [[AF_INET], [AF_INET6]])
        for name in ["localhost", "", "127.0.0.1.example", "::g"] {
            expectError(.unreachable) {
                try SocketAddress.addresses(of: name, port: 1, isNumeric: true)
            }
        }
    }

    @Test func aPathMustFit() {
        #expect(SocketAddress(path: "/run/s")?.family == AF_UNIX)
        #expect(SocketAddress(path: "/" + String(repeating: "a", count: 106)) != nil)
        for path in ["", "/a\0b", "/" + String(repeating: "a", count: 107)] {
            #expect(SocketAddress(path: path) == nil)
        }
    }
}
