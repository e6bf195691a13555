import Foundation
public import TintypeCore
import TintypeHTTP

/// Reads and writes the objects of a store with the protocol of Amazon S3.
///
/// Requests are signed with Signature Version 4. All members may be called from any thread. Errors of the store are
/// `TintypeError.Code.badStatus`, with the code and the ID of the request in
/// `TintypeError.s3`.
public final class S3Client: Sendable {
    /// The settings.
    public let configuration: S3Configuration
    let endpoint: S3Endpoint
    /// The slots of an ``S3Loader``.
    let slots: ExchangeSlots
    private let exchanges: ExchangeClient
    private let signer: S3Signer
    private let skew = Locked(ClockSkew())
    private let currentCredentials: Locked<S3Credentials?>

    /// Creates a client. Nothing is opened before the first request.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` if the endpoint, the region or the bucket is not
    ///   valid.
    public init(_ configuration: S3Configuration) throws(TintypeError) {
        guard S3Object.isBucket(configuration.bucket) else {
            throw TintypeError(
                .invalidSource, stage: .request, "not the name of a bucket", subject: configuration.bucket)
        }
        self.configuration = configuration
        endpoint = try configuration.place
        slots = ExchangeSlots(count: max(1, configuration.maximumConcurrentLoads))
        exchanges = ExchangeClient(over: configuration.transport, clock: configuration.clock)
        signer = S3Signer(region: configuration.region)
        currentCredentials = Locked(configuration.credentials)
    }

    /// The keys of later requests. Set it when temporary keys are renewed.
    public var credentials: S3Credentials? {
        get { currentCredentials.withLock { $0 } }
        set { currentCredentials.withLock { $0 = newValue } }
    }

    var clock: TransferClock { exchanges.clock }

    // MARK: Attempts

    /// Performs an operation in as many attempts as the limits allow.
    ///
    /// - Parameters:
    ///   - stage: The stage of a request to which the errors belong.
    ///   - operation: Sends a request with the given limits. `true` asks for a new connection.
    func retrying<Value: Sendable>(
        _ limits: S3Limits, at stage: TintypeError.Stage = .load,
        _ operation: (ExchangeLimits, _ isRetry: Bool) async throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        var retry = S3Retry(limits, from: clock.uptime())
        while true {
            do throws(TintypeError) {
                let limits = ExchangeLimits(
                    connecting: limits.connecting, firstByte: limits.firstByte, idle: limits.idle,
                    total: retry.attemptTime(at: clock.uptime()))
                return try await operation(limits, retry.count > 0)
            } catch {
                let pause = retry.pause(after: error, at: clock.uptime(), chance: clock.random())
                guard let pause, !Task.isCancelled else {
                    throw error.stage == .load && stage != .load ? error.at(stage) : error
                }
                do { try await clock.sleep(pause) } catch { throw .cancelled }
            }
        }
    }

    /// Sends a request once, and again if the clock of this machine was wrong.
    ///
    /// - Parameters:
    ///   - accepted: The statuses that are not errors.
    ///   - subject: The name of the object or the bucket, for errors.
    ///   - isRetry: Whether to open a new connection.
    /// - Returns: The response, whose body has not been read.
    func send(
        _ request: S3Request, accepting accepted: Set<Int>, about subject: String, within limits: ExchangeLimits,
        isRetry: Bool
    ) async throws(TintypeError) -> ExchangeResponse {
        var isCorrected = false
        while true {
            let date = skew.withLock { $0.date(at: clock.date()) }
            let signed = try transportRequest(request, at: date, about: subject, isRetry: isRetry)
            let response: ExchangeResponse
            do throws(TintypeError) {
                response = try await exchanges.send(signed, within: limits)
            } catch {
                throw error.about(subject)
            }
            guard !accepted.contains(response.status) else { return response }
            let failure = await failure(response)
            guard !isCorrected, correctSkew(after: failure, response, signed: date) else {
                throw failure.error(about: subject)
            }
            isCorrected = true
        }
    }

    private func transportRequest(
        _ request: S3Request, at date: Date, about subject: String, isRetry: Bool
    ) throws(TintypeError) -> TransportRequest {
        var signed = try signer.sign(request, with: credentials, at: date)
        // A line break in a value would begin another field.
        if let problem = signed.headers.problem {
            throw TintypeError(.invalidSource, stage: .request, problem, subject: subject)
        }
        signed.security = configuration.security
        signed.proxy = configuration.proxy
        signed.usesNewConnection = isRetry
        return signed
    }

    private func failure(_ response: ExchangeResponse) async -> S3Failure {
        let document = ErrorDocument(await response.prefix(ErrorDocument.maximumByteCount))
        return S3Failure(status: response.status, headers: response.headers, document: document, at: clock.date())
    }

    private func correctSkew(after failure: S3Failure, _ response: ExchangeResponse, signed: Date) -> Bool {
        skew.withLock { $0.correct(after: failure, date: response.date, signed: signed, at: response.received) }
    }
}
