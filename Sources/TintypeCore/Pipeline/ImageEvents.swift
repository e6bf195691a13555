/// The events of one load, for one listener: to be iterated once. What an iteration has taken, another of the same value
/// does not see again, not the end either; ``ImageTask/events`` gives each listener its own.
public struct ImageEvents: AsyncSequence, Sendable {
    private let subscription: Subscription

    init(task: ImageTask, number: Int) {
        subscription = Subscription(task: task, number: number)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// Ends after ``ImageEvent/finished(_:)``, and when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next event; `nil` after the last, and once the listening task is cancelled.
        public mutating func next() async -> ImageEvent? {
            await subscription.task.nextEvent(of: subscription.number)
        }
    }

    /// Ends the subscription when neither the sequence nor an iterator is left.
    fileprivate final class Subscription: Sendable {
        let task: ImageTask
        let number: Int

        init(task: ImageTask, number: Int) {
            self.task = task
            self.number = number
        }

        deinit {
            task.closeStream(number)
        }
    }
}
