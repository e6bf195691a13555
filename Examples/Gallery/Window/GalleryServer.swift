#if GTK
import Foundation
import Tintype
import TintypeTesting

/// A server with numbered images, in this process. It stands in for the one that a real gallery shows.
@MainActor package final class GalleryServer {
    package let count: Int
    private let origin: Origin

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - count: The number of images.
    ///   - delay: The time before each response, by the number of its image.
    ///   - fails: Whether the server fails to send an image.
    package init(
        count: Int, delay: @escaping @Sendable (Int) -> Duration = { _ in .zero },
        fails: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) async throws {
        self.count = count
        origin = try await Origin.start()
        for number in 0..<count {
            origin.serve("/thumbnails/\(number).png") { _ in
                guard !fails(number), let png = NumberedImage(number).png(side: 200) else { return .status(503) }
                return .image(png, type: "image/png").setting(\.latency, to: delay(number))
            }
            origin.serve("/images/\(number).png") { _ in
                guard let png = NumberedImage(number).png(side: 1000) else { return .status(503) }
                return .image(png, type: "image/png").setting(\.bandwidth, to: 40_000)
            }
        }
    }

    var requestCount: Int { origin.requestCount() }

    func name(_ number: Int) -> String { "Image \(number)" }
    func thumbnail(_ name: String) -> URL { origin.url("/thumbnails/\(Self.number(name)).png") }
    func image(_ name: String) -> URL { origin.url("/images/\(Self.number(name)).png") }

    /// The number in a name.
    package static func number(_ name: String) -> Int { name.split(separator: " ").last.flatMap { Int($0) } ?? 0 }
}

/// An image with a number in its pixels: a colour gradient, with the bits of the number as squares along the top.
package struct NumberedImage: Sendable {
    let number: Int

    /// The number of squares: more than enough for the numbers of a gallery.
    package static let bits = 16

    init(_ number: Int) {
        self.number = number
    }

    func png(side: Int) -> Data? {
        let pixels = try? PixelBuffer.drawn(PixelSize(width: side, height: side)) { x, y in
            let square = x * Self.bits / side
            guard y * Self.bits < side else { return color(Double(x) / Double(side), Double(y) / Double(side)) }
            let value: UInt8 = number >> square & 1 == 1 ? 255 : 0
            return Pixel(red: value, green: value, blue: value)
        }
        return try? pixels.map { try PNGEncoder().encode($0, as: .png, options: EncodeOptions()) }
    }

    private func color(_ x: Double, _ y: Double) -> Pixel {
        let hue = Double(number * 47 % 360) * .pi / 180
        func channel(_ phase: Double) -> UInt8 { UInt8(127 + 100 * sin(hue + phase + 2 * x + 1.5 * y * y)) }
        return Pixel(red: channel(0), green: channel(2.1), blue: channel(4.2))
    }
}
#endif
