package import Foundation

/// The transfers of a loader, shared by equal requests.
///
/// ``SharedJobs`` for bytes, kept in this module so that it is compiled for its types: everyone who joins comes by here.
package final class ByteJobs: Sendable {
    private let jobs = SharedJobs<ByteJobKey, LoadedBytes, ReceivedBytes>(on: .kept)

    package init() {}

    package typealias Receiver = JobReceiver<LoadedBytes, ReceivedBytes>
    package typealias Work =
        @Sendable (JobContext, JobReporter<ReceivedBytes>) async throws(TintypeError) -> LoadedBytes

    package var count: Int { jobs.count }

    package func attach(
        _ key: ByteJobKey, at priority: ImagePriority, receiver: Receiver, work: () -> Work
    ) -> JobSubscription {
        jobs.attach(key, at: priority, receiver: receiver, work: work)
    }

    package func value(
        _ key: ByteJobKey, for parent: JobContext, onStatus: @escaping @Sendable (ReceivedBytes) -> Void,
        work: @escaping Work
    ) async throws(TintypeError) -> LoadedBytes {
        try await jobs.value(key, for: parent, onStatus: onStatus, work: work)
    }

    package func cancelAll() { jobs.cancelAll() }
}

/// What makes two transfers the same: it is made for everyone who joins one, so nothing of a request is made for it.
package struct ByteJobKey: Hashable, Sendable {
    /// ``ImageSource/identity``.
    let source: String
    let extras: RequestExtras
    let byteLimit: Int
    /// The metadata of what the origin is asked about.
    let stored: Data?
    /// How often the settings were changed before: what begins under others is another transfer.
    let generation: Int

    package init(source: String, extras: RequestExtras, byteLimit: Int, stored: Data?, generation: Int) {
        self.source = source
        self.extras = extras
        self.byteLimit = byteLimit
        self.stored = stored
        self.generation = generation
    }

    /// Of what is equal for nearly all, nothing: a key is hashed twice a job.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        if !extras.isEmpty { hasher.combine(extras) }
    }
}
