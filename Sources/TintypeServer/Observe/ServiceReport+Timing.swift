extension ServiceReport {
    /// How the response was made, as the value of a `Server-Timing` field (W3C Server Timing), in milliseconds. Only
    /// for development, because it tells strangers which images others have asked for.
    var serverTiming: String {
        let origin = tier?.rawValue ?? (work != nil ? "made" : shared != nil ? "shared" : "source")
        var metrics = ["from;desc=\"\(origin)\""]
        let times = [
            ("download", download), ("queue", work?.queueing), ("decode", work?.decoding), ("encode", work?.encoding),
        ]
        for case (let name, let time?) in times { metrics.append("\(name);dur=\(Self.milliseconds(time))") }
        return metrics.joined(separator: ", ")
    }

    private static func milliseconds(_ time: Duration) -> String {
        let tenths = Int((max(.zero, time) / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
