extension ImageLoad {
    /// The request's own source, or else the first of its alternatives that loads; each as a load of its own, shared with
    /// those who want that source alone.
    ///
    /// - Throws: what the first source failed with, since that is the one that was asked for.
    func firstThatLoads(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            return try await shared(request.with { $0.alternatives = [] }, job, report)
        } catch {
            guard error.code != .cancelled else { throw error }
            for substitute in request.substitutes {
                if let response = try await attempt(substitute, job, report) { return response }
            }
            throw error
        }
    }

    private func attempt(
        _ substitute: ImageRequest, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse? {
        do throws(TintypeError) {
            return try await shared(substitute, job, report)
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    private func shared(
        _ request: ImageRequest, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let load = ImageLoad(request: request, services: services)
        return try await services.renditions.value(load.renditionKey, for: job, onStatus: report.report) {
            (job, report) throws(TintypeError) in
            try await load.run(job, report)
        }
    }
}
