#if GTK
package import Foundation
import Tintype
import TintypeTesting

/// A server with many images, in this process. It stands in for the one that a real gallery shows.
@MainActor package final class GalleryServer {
    package let count: Int
    private let origin: Origin
    private let photographs: Photographs?
    /// The directory that has the images, instead of the server.
    private let folder: URL?

    /// Starts a server with photographs.
    package init(_ photographs: Photographs, count: Int) async throws {
        (self.count, self.photographs, folder) = (count, photographs, nil)
        origin = try await Origin.start()
        for number in 0..<count {
            origin.serve("/thumbnails/\(number)") { _ in
                photographs.jpeg(number, side: 320).map { .image($0, type: "image/jpeg") } ?? .status(503)
            }
            origin.serve("/images/\(number)") { _ in
                guard let jpeg = photographs.jpeg(number, side: 1280) else { return .status(503) }
                return .image(jpeg, type: "image/jpeg", bandwidth: 150_000)
            }
        }
    }

    /// Starts a server with an image for each number, in which the number can be read: for tests.
    ///
    /// - Parameters:
    ///   - count: The number of images.
    ///   - delay: The time before each response, by the number of its image.
    ///   - fails: Whether the server fails to send an image.
    package init(
        count: Int, delay: @escaping @Sendable (Int) -> Duration = { _ in .zero },
        fails: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) async throws {
        (self.count, photographs, folder) = (count, nil, nil)
        origin = try await Origin.start()
        for number in 0..<count {
            origin.serve("/thumbnails/\(number)") { _ in
                guard !fails(number), let png = NumberedImage(number).png(side: 200) else { return .status(503) }
                return .image(png, type: "image/png", latency: delay(number))
            }
            origin.serve("/images/\(number)") { _ in
                guard let png = NumberedImage(number).png(side: 1000) else { return .status(503) }
                return .image(png, type: "image/png", bandwidth: 40_000)
            }
        }
    }

    /// Writes an image for each number to a directory, which is shown instead of a server: for tests.
    package init(count: Int, in folder: URL) async throws {
        (self.count, photographs, self.folder) = (count, nil, folder)
        origin = try await Origin.start()
        for number in 0..<count { try NumberedImage(number).png(side: 200)?.write(to: Self.file(number, folder)) }
    }

    private static func file(_ number: Int, _ folder: URL) -> URL { folder.appending(path: "\(number).png") }

    var requestCount: Int { origin.requestCount() }

    func name(_ number: Int) -> String { photographs?.title(number) ?? "Image \(number)" }
    func caption(_ name: String) -> String { photographs?.caption(Self.number(name)) ?? "An image with a number" }
    func thumbnail(_ name: String) -> URL { url("thumbnails", Self.number(name)) }
    func image(_ name: String) -> URL { url("images", Self.number(name)) }

    private func url(_ kind: String, _ number: Int) -> URL {
        folder.map { Self.file(number, $0) } ?? origin.url("/\(kind)/\(number)")
    }

    /// The number in a name.
    package static func number(_ name: String) -> Int { name.split(separator: " ").last.flatMap { Int($0) } ?? 0 }
}
#endif
