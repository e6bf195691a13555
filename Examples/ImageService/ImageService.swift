import Foundation
import Tintype

#if Server
import Hummingbird

/// A web service on the pipeline: thumbnails of the images in a folder, in the format that the browser prefers.
///
///     swift run --traits Server ImageService ~/Pictures
///     curl -o cat.webp -H 'Accept: image/webp' http://127.0.0.1:8080/320/cat.jpg
@main struct ImageService {
    let folder: URL
    /// Everything is decoded in worker processes, because others may have made the images.
    let pipeline = ImagePipeline(.standard(sandbox: SandboxConfiguration(.all)))

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let service = ImageService(folder: URL(filePath: arguments.first ?? ".", directoryHint: .isDirectory))
        let router = Router()
        router.get("/:width/:name") { request, context in
            // The router leaves parameters percent-encoded.
            let name = try context.parameters.require("name").removingPercentEncoding ?? ""
            return try await service.thumbnail(
                named: name, width: context.parameters.require("width", as: Int.self),
                accept: request.headers[.accept] ?? "")
        }
        let port = arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
        try await Application(router: router, configuration: .init(address: .hostname(port: port))).runService()
    }

    /// Returns an image of the folder, at most as wide. Equal requests at the same time are decoded once.
    func thumbnail(named name: String, width: Int, accept: String) async throws -> Response {
        guard (1...2000).contains(width), !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else {
            throw HTTPError(.badRequest)
        }
        var request = ImageRequest(url: folder.appending(path: name))
        // The image is decoded directly to this size.
        request.rendition.decode.size = .fit(PixelSize(width: width, height: 4 * width))
        let format = accept.contains("image/webp") ? ImageFormat.webp : .jpeg
        do throws(TintypeError) {
            let image = try await pipeline.image(for: request)
            let data = try await pipeline.encode(image, as: format, options: EncodeOptions(quality: 0.8))
            return Response(
                status: .ok,
                headers: [.contentType: format.mediaType, .vary: "Accept", .cacheControl: "max-age=3600"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
        } catch {
            throw HTTPError(error.code == .notFound ? .notFound : .unprocessableContent, message: error.message)
        }
    }
}
#else
@main struct ImageService {
    static func main() { print("built without Hummingbird; build it with --traits Server") }
}
#endif
