import Foundation

/// A load or a stage, from when it began until it ended.
struct TraceSpan: Sendable {
    enum Track: Int, Sendable, CaseIterable {
        case loads = 1
        case stages
    }

    let track: Track
    let name: String
    let began: Duration
    let duration: Duration
    let details: [String: String]

    var ended: Duration { began + duration }

    init(_ run: StageRun, _ outcome: StageOutcome) {
        track = .stages
        name = run.stage.rawValue
        began = run.began
        duration = outcome.duration
        var details = ["key": run.key.description]
        details["error"] = outcome.error?.description
        details["bytes"] = outcome.byteCount.map(String.init)
        self.details = details
    }

    init(
        _ request: ImageRequest, _ result: Result<ImageResponse, TintypeError>, began: Duration, _ duration: Duration
    ) {
        track = .loads
        name = request.source.url?.lastPathComponent ?? request.source.identity
        self.began = began
        self.duration = duration
        var details = ["key": request.key.description, "priority": "\(request.priority)"]
        switch result {
        case .success(let response): details["origin"] = response.origin.rawValue
        case .failure(let error): details["error"] = error.description
        }
        self.details = details
    }
}
