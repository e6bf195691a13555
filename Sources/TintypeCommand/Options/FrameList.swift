import ArgumentParser

/// Numbers of frames and ranges of them, such as `0-9,20`; a range may go backwards.
struct FrameList: ExpressibleByArgument {
    let indices: [Int]

    /// As many as any picture may have.
    private static let most = 10_000

    init?(argument: String) {
        var indices: [Int] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
            guard let first = ends[0], let last = ends[ends.count - 1], first >= 0, last >= 0,
                abs(last - first) < Self.most - indices.count
            else { return nil }
            indices += Array(stride(from: first, through: last, by: first <= last ? 1 : -1))
        }
        self.indices = indices
    }
}
