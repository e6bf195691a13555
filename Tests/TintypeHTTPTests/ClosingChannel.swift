import NIOEmbedded

/// Closes a channel when its test ends. A channel that stays open is never freed.
final class ClosingChannel {
    let channel: EmbeddedChannel

    init(_ channel: EmbeddedChannel) {
        self.channel = channel
    }

    deinit {
        // Reports errors that the test has caused on purpose.
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}
