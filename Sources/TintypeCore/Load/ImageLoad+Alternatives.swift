extension ImageLoad {
    /// The request's own source, or else the first of its alternatives that loads; each as a load of its own, shared with
    /// those who want that source alone.
    ///
    /// - Throws: what the first source failed with, since that is the one that was asked for.
    func firstThatLoads(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            return try await shared(request.source, job, report)
        } catch {
            guard error.code != .cancelled else { throw error }
            for source in request.alternatives {
                if let response = try await attempt(source, job, report) { return response }
            }
            throw error
        }
    }

    private func attempt(
        _ source: ImageSource, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse? {
        do throws(TintypeError) {
            return try await shared(source, job, report)
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    private func shared(
        _ source: ImageSource, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let load = replacing { request in
            // What names the bytes of one source says nothing of another's.
            if source.identity != request.source.identity { request.identity = nil }
            request.source = source
            request.alternatives = []
        }
        return try await services.renditions.value(load.renditionKey, for: job, onStatus: report.report) {
            (job, report) throws(TintypeError) in
            try await load.run(job, report)
        }
    }
}
