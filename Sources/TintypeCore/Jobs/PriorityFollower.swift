/// Something whose place in a line depends on the priority of a job: queued work, a queued transfer, a job below.
package protocol PriorityFollower: Sendable {
    func follow(_ priority: ImagePriority)
}

extension ImagePriority {
    /// Passes a priority on, again as long as it changed meanwhile: two threads may come by in either order, and the last
    /// word has to be the newest.
    ///
    /// - Parameters:
    ///   - newest: what it is now, and whom to tell; `nil` where there is no one.
    ///   - tell: is not called under a lock.
    // Inlinable, since the general form looks up types, and every transfer that is joined comes by.
    @inlinable
    package static func pass<Follower>(
        alreadyTold: ImagePriority? = nil, _ newest: () -> (ImagePriority, Follower)?,
        to tell: (Follower, ImagePriority) -> Void
    ) {
        var told = alreadyTold
        while let (priority, follower) = newest(), priority != told {
            tell(follower, priority)
            told = priority
        }
    }
}
