import Foundation
import Testing

@testable import TintypeTerminal

/// The effects of a signal that is handled while the handling of signals ends.
@Suite(.serialized) struct SignalHandlersTests {
    /// A signal without an effect by default, which nothing else uses.
    private static let number = SIGURG

    // Unsafe because a handler of a signal cannot take a lock. Only the tests of this suite use it, one after the
    // other.
    private nonisolated(unsafe) static var receiver: pthread_t?

    /// Runs steps with handlers of the signal, whose former effect records the thread that receives it.
    private func withHandlers(_ body: (SignalHandlers) -> Void) {
        Self.receiver = nil
        signal(Self.number) { _ in SignalHandlersTests.receiver = pthread_self() }
        defer { signal(Self.number, SIG_DFL) }
        let handlers = SignalHandlers()
        handlers.replace(Self.number) { install() }
        body(handlers)
    }

    private func install() {
        signal(Self.number) { _ in }
    }

    /// The address of the handler of the signal.
    private var effect: Int {
        var action = sigaction()
        sigaction(Self.number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }

    /// A stop raises the signal and, when the process continues, installs the handler again.
    @Test(arguments: 0...2) func theFormerEffectIsBackWhenTheEndComes(before step: Int) {
        withHandlers { handlers in
            handlers.restore()
            let former = effect
            handlers.replace(Self.number) { install() }
            #expect(effect != former)
            var steps = [{ handlers.raise(Self.number) }, { handlers.replaceAgain(Self.number) { install() } }]
            steps.insert({ handlers.restore() }, at: step)
            for step in steps { step() }
            #expect(effect == former)
        }
    }

    @Test func aSignalHasItsFormerEffectBeforeTheCallReturns() {
        withHandlers { handlers in
            handlers.raise(Self.number)
            #expect(Self.receiver == nil)
            handlers.restore()
            handlers.raise(Self.number)
            #expect(Self.receiver == pthread_self())
        }
    }
}
