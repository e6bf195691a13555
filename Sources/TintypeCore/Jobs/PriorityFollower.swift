/// Something whose place in a line depends on the priority of a job: queued work, a queued transfer, a job below.
package protocol PriorityFollower: Sendable {
    func follow(_ priority: ImagePriority)
}
