import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeCairo

/// Closures that draw with cairo. The tests look up its functions, as a program's own import of cairo would.
@Suite(.enabled(if: Cairo.isPresent)) struct CairoTests {
    @Test func aCanvasHasTheColorsOfItsClosure() throws {
        var canvas = CairoCanvas(size: PixelSize(width: 8, height: 4), scale: 2, background: .white)
        let pixels = try canvas.pixels { context in
            // Half of it, in units of the canvas, in a colour of which half shows through.
            try Cairo.fill(context, 0, 0, 4, 4, red: 1, green: 0, blue: 0, alpha: 0.5)
        }
        #expect(pixels.size == PixelSize(width: 16, height: 8))
        // cairo rounds alpha to 8 bits: 128 of 255 of red over white.
        #expect(pixels[7, 7].red == 255 && abs(Int(pixels[7, 7].green) - 127) <= 1 && pixels[7, 7].alpha == 255)
        #expect(pixels[8, 0] == Pixel(red: 255, green: 255, blue: 255))
        canvas.background = .clear
        let clear = try canvas.pixels { context in
            try Cairo.fill(context, 0, 0, 1, 1, red: 0, green: 0, blue: 1, alpha: 1)
        }
        #expect(clear[0, 0] == Pixel(red: 0, green: 0, blue: 255) && clear[2, 0].alpha == 0)
    }

    @Test func aTransformerDrawsOverTheImage() throws {
        let size = PixelSize(width: 6, height: 3)
        let image = try PixelBuffer.drawn(size) { x, y in
            Pixel(red: UInt8(40 * x), green: UInt8(80 * y), blue: 7, alpha: 255)
        }
        let transformer = CairoTransformer(identifier: "corner") { context, given in
            try Cairo.fill(context, 0, 0, 1, Double(given.height), red: 0, green: 1, blue: 0, alpha: 1)
        }
        let result = try transformer.transform(image)
        #expect(result[0, 2] == Pixel(red: 0, green: 255, blue: 0))
        for x in 1..<6 { for y in 0..<3 { #expect(result[x, y] == image[x, y]) } }
        #expect(transformer.identifier == "cairo(6:corner)")
    }

    @Test func anErrorOfTheClosureOrOfCairoIsThrown() throws {
        let canvas = CairoCanvas(size: PixelSize(width: 4, height: 4))
        struct Mine: Error {}
        let own = expectError(.transformFailed) { try canvas.pixels { _ in throw Mine() } }
        #expect(own?.underlying is Mine)
        expectError(.notFound) {
            try canvas.pixels { _ in throw TintypeError(.notFound, stage: .transform, "no font") }
        }
        // cairo_restore(3) without a save.
        let status = expectError(.transformFailed) { try canvas.pixels { try Cairo.restore($0) } }
        #expect(status?.message.contains("cairo_restore") == true)
    }

    @Test(
        arguments: [
            (PixelSize(width: 0, height: 4), 1), (PixelSize(width: 4, height: 4), -1),
            (PixelSize(width: 4, height: 4), .nan),
            (PixelSize(width: 40_000, height: 1), 1), (PixelSize(width: 1, height: 1), .infinity),
        ] as [(PixelSize, Double)]) func aCanvasWithoutPixelsIsRefused(_ size: PixelSize, _ scale: Double)
    {
        let canvas = CairoCanvas(size: size, scale: scale)
        expectError(.transformFailed) { try canvas.pixels { _ in } }
    }
}

/// Functions of the system's cairo.
private enum Cairo {
    private nonisolated(unsafe) static let library = dlopen("libcairo.so.2", RTLD_NOW)
    static var isPresent: Bool { library != nil }

    private struct Missing: Error {}

    private static func function<Function>(_ name: String, _ type: Function.Type) throws -> Function {
        guard let address = dlsym(library, name) else { throw Missing() }
        return unsafeBitCast(address, to: type)
    }

    static func fill(
        _ context: OpaquePointer, _ x: Double, _ y: Double, _ width: Double, _ height: Double, red: Double,
        green: Double, blue: Double, alpha: Double
    ) throws {
        typealias Four = @convention(c) (OpaquePointer, Double, Double, Double, Double) -> Void
        try function("cairo_set_source_rgba", Four.self)(context, red, green, blue, alpha)
        try function("cairo_rectangle", Four.self)(context, x, y, width, height)
        try function("cairo_fill", (@convention(c) (OpaquePointer) -> Void).self)(context)
    }

    static func restore(_ context: OpaquePointer) throws {
        try function("cairo_restore", (@convention(c) (OpaquePointer) -> Void).self)(context)
    }
}
