import Foundation
import TintypeCore
import TintypeHTTP

/// Adds the header fields and the body of a client's request.
struct ClientFields: HTTPInterceptor {
    let fields: [String: String]
    let body: Data

    var id: String { "client \(fields.sorted { $0.key < $1.key }) \(body.base64EncodedString())" }

    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        var request = request
        for (name, value) in fields { request.headers[name] = value }
        if !body.isEmpty { request.body = body }
        return try await next(request)
    }
}

/// Replaces an empty body, which is no image for a pipeline.
struct EmptyBodyMarker: HTTPInterceptor {
    static let marker = Data("an empty body 5d1c7b40".utf8)

    let id = "empty body"

    func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        var response = try await next(request)
        let body = try await response.body.collect()
        response.body = DownloadBody(body.isEmpty ? Self.marker : body)
        return response
    }
}

/// Decodes any bytes as a transparent pixel.
struct AnyBytesDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = []

    private let info = ImageInfo(format: .png, size: PixelSize(width: 1, height: 1))

    func info(of bytes: Data, isComplete: Bool) -> ImageInfo? { info }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let writer = try PixelWriter(size: info.size)
        return Image(pixels: writer.finish(), info: info, scale: 1)
    }
}
