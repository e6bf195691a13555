import Foundation
import TintypeCore
import TintypeHTTP

/// The URLs that a gateway is fetching. Equal requests wait for the first one, whose response they may use.
final class GatewayTurns: Sendable {
    /// A fetch that others wait for. It ends when the object is released: after its response was stored, or when it is
    /// known that it will not be.
    final class Turn: Sendable {
        private let url: URL
        private let turns: GatewayTurns
        private let end: SharedPromise<Void>

        fileprivate init(_ url: URL, _ end: SharedPromise<Void>, of turns: GatewayTurns) {
            (self.url, self.end, self.turns) = (url, end, turns)
        }

        deinit {
            turns.running.withLock { _ = $0.removeValue(forKey: url) }
            end.fulfill(())
        }
    }

    /// What a request does.
    enum Role: Sendable {
        /// It asks the origin, and holds the turn as long as others should wait.
        case leads(Turn)
        /// It waits for another one.
        case follows(SharedPromise<Void>)
    }

    /// The longest wait, as that of nginx (`proxy_cache_lock_timeout`): a leader whose client reads slowly must not
    /// hold up all others.
    static let longestWait = Duration.seconds(5)

    private let running = Locked<[URL: SharedPromise<Void>]>([:])

    /// Begins a fetch of a URL, or finds the one that is running.
    func role(for url: URL) -> Role {
        let end = SharedPromise<Void>()
        let other = running.withLock { running -> SharedPromise<Void>? in
            if let other = running[url] { return other }
            running[url] = end
            return nil
        }
        guard let other else { return .leads(Turn(url, end, of: self)) }
        return .follows(other)
    }

    /// Waits for the end of a fetch, or for the longest wait.
    func wait(for end: SharedPromise<Void>, _ clock: TransferClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await end.wait() }
            group.addTask { try? await clock.sleep(Self.longestWait) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension DownloadRequest {
    /// Whether another request's response can answer this one: it depends on nothing but the URL and what `Vary` names.
    var canFollow: Bool {
        method == "GET"
            && !["range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "authorization"]
                .contains(where: headers.contains)
    }
}
