/// How long a piece of decoding may take.
struct DecodeTime: Sendable {
    /// See ``DecodeLimits/time``.
    var limit = DecodeLimits().time
    var source = TimeSource.system

    /// Runs decoding that asks now and then whether to give up, and has it do so when its time is over.
    ///
    /// - Parameter body: is given what to ask.
    /// - Throws: what `body` throws; ``TintypeError/Code/limitExceeded`` where it gave up for the time alone.
    func run<Value>(
        isCancelled: @escaping @Sendable () -> Bool,
        _ body: (_ isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        let (end, source) = (source.uptime() + limit, source)
        do throws(TintypeError) {
            return try body { isCancelled() || source.uptime() > end }
        } catch {
            // Who gave up may be wanted again by now: only time that is over says that it was the time.
            guard error.code == .cancelled, source.uptime() > end, !isCancelled() else { throw error }
            throw .exceeded(.time, "decoding has taken longer than \(limit)")
        }
    }
}
