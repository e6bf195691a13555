import Foundation
import HTTPTestSupport
import Testing
import Tintype
import TintypeShared
import TintypeTesting

@testable import TintypeServer

/// An image service over a misbehaving origin, and what the tests ask it.
struct ServiceFixture {
    let origin: Origin
    let service: ImageService

    /// Runs a test with a service, and stops its origin.
    ///
    /// - Parameter coders: The decoders and encoders of the service.
    static func run(
        coders: ImageCoderRegistry = .standard, _ change: (inout ServiceConfiguration) -> Void = { _ in },
        _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        let origin = try await Origin.start()
        let folder = URL.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")
        var downloads = DownloaderConfiguration.patient
        downloads.storedHeaders = nil
        downloads.headers = SourceLoader.fields
        let disk = DiskCache(directory: folder.appending(path: "sources"))
        var images = PipelineConfiguration.standard(downloader: downloads, memory: nil, disk: disk)
        images.coders = coders
        let pipeline = ImagePipeline(images)
        var configuration = ServiceConfiguration(pipeline: pipeline, urls: ImageURLParser(options: try OptionsParser()))
        configuration.isDevelopment = true
        // The other tests of a busy machine take their time.
        configuration.requestTimeout = .seconds(7200)
        change(&configuration)
        let fixture = ServiceFixture(origin: origin, service: ImageService(configuration))
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        await origin.stop()
        try? FileManager.default.removeItem(at: folder)
        try result.get()
    }

    /// Asks for a source of the origin with options.
    func get(
        _ options: String, _ path: String, _ fields: HTTPFields = HTTPFields(), method: String = "GET"
    ) async -> ServiceResponse {
        let target = "/unsigned/\(options)\(options.isEmpty ? "" : "/")plain/\(origin.url(path).absoluteString)"
        return await service.respond(to: ServerRequest(method: method, target: target, fields: fields, id: "test"))
    }

    /// Serves a picture of 120×60 with a red left half and a blue right half.
    func servePicture(
        _ path: String, as format: ImageFormat = .png, cache: String? = "max-age=60", age: Int = 0,
        gate: OriginGate? = nil
    ) throws {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 120, height: 60)) { x, _ in
            x < 60 ? Pixel(red: 255, green: 0, blue: 0) : Pixel(red: 0, green: 0, blue: 255)
        }
        let data = try ImageCoderRegistry.standard.encode(
            Image(pixels: pixels, info: ImageInfo(format: format, size: pixels.size), scale: 1), as: format,
            options: EncodeOptions(quality: 0.9))
        var response = OriginResponse.image(data, type: format.mediaType)
        response.gate = gate
        if let cache { response.headers.append((name: "Cache-Control", value: cache)) }
        if age > 0 { response.headers.append((name: "Age", value: "\(age)")) }
        origin.serve(path, response: response)
    }
}

extension ServiceResponse {
    /// The decoded body.
    func image() throws -> Image {
        let data = try #require(body)
        return try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: DecodeContext())
    }

    /// The format of the body, as its bytes tell.
    var format: ImageFormat? { body.flatMap { try? ImageCoderRegistry.standard.info(of: $0)?.format } }
}

extension SharedCacheConfiguration {
    /// Limits that no busy machine reaches.
    static var patient: SharedCacheConfiguration {
        var configuration = SharedCacheConfiguration()
        configuration.readLimit = .seconds(3600)
        configuration.readWait = .seconds(3600)...Duration.seconds(3600)
        configuration.writeLimit = .seconds(3600)
        configuration.flushLimit = .seconds(3600)
        return configuration
    }
}
