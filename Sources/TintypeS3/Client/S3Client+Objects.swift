public import Foundation
public import TintypeCore
import TintypeHTTP

extension S3Client {
    /// Returns an object, or a part of it.
    ///
    /// - Parameters:
    ///   - object: The name of the object.
    ///   - range: The bytes to return; `nil` for all. Fewer are returned at the end of the object.
    ///   - tag: An entity tag: if it is still that of the object, the result is `nil`.
    ///   - maximumByteCount: The largest number of bytes to accept.
    ///   - limits: The limits on the time; `nil` for ``S3Configuration/requestLimits``.
    /// - Returns: `nil` if the object has the tag.
    /// - Throws: `TintypeError.Code.badStatus` with the status 404 if there is no such object, and 416 if
    ///   it ends before the range.
    @concurrent
    public func get(
        _ object: S3Object, range: Range<Int>? = nil, ifNoneMatch tag: String? = nil, maximumByteCount: Int = 64 << 20,
        limits: S3Limits? = nil
    ) async throws(TintypeError) -> S3Content? {
        var request = try request("GET", object)
        if let range {
            guard range.lowerBound >= 0, !range.isEmpty else {
                throw TintypeError(.invalidSource, stage: .request, "an empty range", subject: "\(object)")
            }
            request.headers["Range"] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        }
        if let tag { request.headers["If-None-Match"] = tag }
        let accepted: Set<Int> = [200, range == nil ? 200 : 206, tag == nil ? 200 : 304]
        return try await retrying(limits ?? configuration.requestLimits) {
            [request] (limits, isRetry) throws(TintypeError) in
            let response = try await self.send(
                request, accepting: accepted, about: "\(object)", within: limits, isRetry: isRetry)
            guard response.status != 304 else {
                await response.discard()
                return nil
            }
            return try await Self.content(of: response, range, maximumByteCount, about: "\(object)")
        }
    }

    /// Returns the head of an object; `nil` if there is no such object.
    ///
    /// - Throws: An error if the store refuses the request or does not answer.
    @concurrent
    public func head(_ object: S3Object, limits: S3Limits? = nil) async throws(TintypeError) -> S3ObjectInfo? {
        let request = try request("HEAD", object)
        do throws(TintypeError) {
            return try await retrying(limits ?? configuration.requestLimits) {
                (limits, isRetry) throws(TintypeError) in
                let response = try await self.send(
                    request, accepting: [200], about: "\(object)", within: limits, isRetry: isRetry)
                await response.discard()
                return S3ObjectInfo(response.headers)
            }
        } catch {
            guard error.isMissingObject else { throw error }
            return nil
        }
    }

    /// Stores an object.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - object: The name of the object; its version is ignored.
    ///   - options: What is stored with the bytes.
    ///   - limits: The limits on the time; `nil` for ``S3Configuration/backgroundLimits``.
    /// - Throws: An error if the store refuses the request or does not answer.
    /// - Returns: Whether the bytes were stored. `false` only with ``S3PutOptions/onlyIfAbsent``, if there is an object
    ///   with the key already, or another writer has won.
    @concurrent @discardableResult
    public func put(
        _ data: Data, as object: S3Object, _ options: S3PutOptions = S3PutOptions(), limits: S3Limits? = nil
    ) async throws(TintypeError) -> Bool {
        var request = try request("PUT", S3Object(bucket: object.bucket, key: object.key))
        request.headers = try options.headers(about: object)
        request.body = data
        request.payloadHash = try await payloadHash(of: data, isSigned: options.signsBody)
        // 412: there is an object. 409: another writer was faster (Amazon S3 User Guide, "Conditional writes").
        let accepted: Set<Int> = options.onlyIfAbsent ? [200, 201, 204, 409, 412] : [200, 201, 204]
        return try await retrying(limits ?? configuration.backgroundLimits, at: .store) {
            [request] (limits, isRetry) throws(TintypeError) in
            let response = try await self.send(
                request, accepting: accepted, about: "\(object)", within: limits, isRetry: isRetry)
            await response.discard()
            return response.status < 300
        }
    }

    /// Removes an object. Not an error if there is none.
    ///
    /// - Throws: An error if the store refuses the request or does not answer.
    @concurrent
    public func delete(_ object: S3Object, limits: S3Limits? = nil) async throws(TintypeError) {
        let request = try request("DELETE", object)
        do throws(TintypeError) {
            try await retrying(limits ?? configuration.backgroundLimits, at: .store) {
                (limits, isRetry) throws(TintypeError) in
                let response = try await self.send(
                    request, accepting: [200, 204], about: "\(object)", within: limits, isRetry: isRetry)
                await response.discard()
            }
        } catch {
            guard error.isMissingObject else { throw error }
        }
    }

    /// Checks that the bucket exists, and that the keys allow to see it.
    ///
    /// - Throws: An error if it does not, or the store does not answer.
    @concurrent
    public func checkBucket(limits: S3Limits? = nil) async throws(TintypeError) {
        let request = S3Request(method: "HEAD", address: endpoint.address(bucket: configuration.bucket, key: nil))
        let subject = "s3://\(configuration.bucket)"
        try await retrying(limits ?? configuration.requestLimits) { (limits, isRetry) throws(TintypeError) in
            let response = try await self.send(
                request, accepting: [200], about: subject, within: limits, isRetry: isRetry)
            await response.discard()
        }
    }

    func request(_ method: String, _ object: S3Object) throws(TintypeError) -> S3Request {
        try object.validate()
        var request = S3Request(method: method, address: endpoint.address(bucket: object.bucket, key: object.key))
        if let version = object.version { request.query = [("versionId", version)] }
        return request
    }

    /// Returns the digest of a body, computed away from Swift's cooperative threads if that takes long.
    private func payloadHash(of data: Data, isSigned: Bool) async throws(TintypeError) -> PayloadHash {
        guard isSigned || !endpoint.isEncrypted else { return .unsigned }
        guard data.count > 64 << 10 else { return .digest(SHA256Digest.hexadecimal(of: data)) }
        return try await WorkQueue.pixels.run(for: JobContext(priority: .low)) { () throws(TintypeError) in
            .digest(SHA256Digest.hexadecimal(of: data))
        }
    }

    private static func content(
        of response: ExchangeResponse, _ range: Range<Int>?, _ limit: Int, about subject: String
    ) async throws(TintypeError) -> S3Content {
        let info = S3ObjectInfo(response.headers)
        do throws(TintypeError) {
            let data = try await response.collect(atMost: limit)
            guard let range else { return S3Content(data: data, info: info) }
            // A store may ignore the range, and send the whole object.
            guard response.status == 206 else {
                return S3Content(data: Data(data.dropFirst(range.lowerBound).prefix(range.count)), info: info)
            }
            guard response.headers["content-range"]?.hasPrefix("bytes \(range.lowerBound)-") == true,
                data.count <= range.count
            else { throw TintypeError(.transport, stage: .load, "the store sent another range") }
            return S3Content(data: data, info: info)
        } catch {
            throw error.about(subject)
        }
    }
}

/// An object, or a part of it.
public struct S3Content: Sendable {
    /// The bytes.
    public let data: Data
    /// What is stored with them.
    public let info: S3ObjectInfo
}

/// What a store knows about an object, without its bytes.
public struct S3ObjectInfo: Hashable, Sendable {
    /// The number of bytes of the response, or of the object after a `HEAD` request; `nil` if the store does not say.
    public let byteCount: Int?
    /// The entity tag, with its quotes. It need not be a digest of the bytes.
    public let tag: String?
    /// The media type.
    public let contentType: String?
    /// When the object was stored.
    public let modified: Date?
    /// The version, in a bucket that keeps versions.
    public let version: String?
    /// The metadata of the program, with names in lower case.
    public let metadata: [String: String]

    init(_ headers: HTTPFields) {
        byteCount = headers["content-length"].flatMap { Int(digits: $0) }
        tag = headers["etag"]
        contentType = headers["content-type"]
        modified = headers["last-modified"].flatMap(HTTPDate.parse)
        version = headers["x-amz-version-id"]
        var metadata: [String: String] = [:]
        for (name, value) in headers.all where name.lowercased().hasPrefix(S3PutOptions.metadataPrefix) {
            metadata[String(name.lowercased().dropFirst(S3PutOptions.metadataPrefix.count))] = value
        }
        self.metadata = metadata
    }
}
