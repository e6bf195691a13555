import Foundation

/// Spans as Chrome's trace events ("Trace Event Format", complete events): one process for the loads and one for the
/// stages, in each as many rows as there was work at once.
struct ChromeTrace: Encodable {
    struct Event: Encodable {
        let name: String
        /// `X` for a span, `M` for a name.
        let ph: String
        let pid: Int
        let tid: Int
        /// Microseconds.
        let ts: Double
        let dur: Double?
        let args: [String: String]
    }

    let traceEvents: [Event]

    init(_ spans: [TraceSpan]) {
        traceEvents = TraceSpan.Track.allCases.flatMap { track in
            [Self.title(track)] + Self.rows(spans.filter { $0.track == track })
        }
    }

    var encoded: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    private static func title(_ track: TraceSpan.Track) -> Event {
        Event(
            name: "process_name", ph: "M", pid: track.rawValue, tid: 0, ts: 0, dur: nil, args: ["name": "\(track)"])
    }

    /// Each span in the first row that is free when it begins.
    private static func rows(_ spans: [TraceSpan]) -> [Event] {
        var freeFrom: [Duration] = []
        return spans.sorted { $0.began < $1.began }.map { span in
            let row = freeFrom.firstIndex { $0 <= span.began } ?? freeFrom.endIndex
            if row == freeFrom.endIndex { freeFrom.append(span.ended) } else { freeFrom[row] = span.ended }
            return Event(
                name: span.name, ph: "X", pid: span.track.rawValue, tid: row + 1, ts: span.began.microseconds,
                dur: span.duration.microseconds, args: span.details)
        }
    }
}

extension Duration {
    fileprivate var microseconds: Double { Double(nanoseconds) / 1000 }
}
