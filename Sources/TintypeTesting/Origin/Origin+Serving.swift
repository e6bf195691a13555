extension Origin {
    /// Answers every request to a path with one response.
    ///
    /// - Parameter path: The path, percent-decoded and without a query. What it served before is replaced.
    public func serve(_ path: String, _ response: OriginResponse) {
        serve(path) { _ in response }
    }

    /// Answers the requests to a path with one response after another; the last one repeats. Without any it is a 404.
    public func serve(_ path: String, sequence responses: [OriginResponse]) {
        let sequence = OriginSequence(responses)
        serve(path) { _ in sequence.next() }
    }

    /// Answers the requests to a path by a function.
    ///
    /// The function runs on the event loop that serves the connection and must not block it. It is called
    /// before the request counts as arrived.
    public func serve(_ path: String, by answer: @escaping @Sendable (OriginRequest) -> OriginResponse) {
        ledger.route(path, to: answer)
    }
}
