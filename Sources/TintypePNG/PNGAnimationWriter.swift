import Foundation
import TintypeCore

/// Puts an animated PNG together, of a still PNG for each frame.
struct PNGAnimationWriter {
    private var assembly = PNGAssembly()
    private var sequenceNumber: UInt32 = 0
    private let control: [UInt8]

    init(_ animation: AnimatedImage) {
        let plays = UInt32(min(animation.loopCount, Int(Int32.max)))
        control = UInt32(animation.frameCount).bigEndianBytes + plays.bigEndianBytes
    }

    /// Adds a frame; that of the first one is the size of the canvas.
    ///
    /// - Parameter png: of the rectangle alone, by libpng.
    mutating func add(_ png: Data, at rect: PixelRect, duration: Double) throws(TintypeError) {
        let isFirst = sequenceNumber == 0
        try png.withTypedBytes { bytes throws(TintypeError) in
            var chunks = PNGChunks(bytes)
            var isControlled = false
            while true {
                let chunk = try chunks.next()
                switch chunk.kind {
                case .header where isFirst:
                    assembly.add(.header, bytes[chunk.data])
                    assembly.add(.animationControl, control)
                case .imageData:
                    if !isControlled { addControl(rect, duration) }
                    isControlled = true
                    addPixels(bytes[chunk.data], isFirst: isFirst)
                case .end: return
                default: break
                }
            }
        }
    }

    func finished() -> Data {
        var assembly = assembly
        assembly.add(.end, [])
        return assembly.data
    }

    private mutating func addPixels(_ compressed: Slice<UnsafeRawBufferPointer>, isFirst: Bool) {
        if isFirst { return assembly.add(.imageData, compressed) }
        assembly.add(.frameData, nextNumber() + compressed)
    }

    /// The frame stays (0) and replaces what was there (0).
    private mutating func addControl(_ rect: PixelRect, _ duration: Double) {
        let numbers = [rect.size.width, rect.size.height, rect.x, rect.y].flatMap { UInt32($0).bigEndianBytes }
        let delay = PNGDelay(duration)
        let time = [delay.numerator, delay.denominator].flatMap(\.bigEndianBytes)
        assembly.add(.frameControl, nextNumber() + numbers + time + [0, 0])
    }

    /// Control and data of frames are counted together.
    private mutating func nextNumber() -> [UInt8] {
        defer { sequenceNumber += 1 }
        return sequenceNumber.bigEndianBytes
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}

/// A duration as an animated PNG stores it: a fraction of two 16-bit numbers.
struct PNGDelay: Equatable {
    var numerator: UInt16
    var denominator: UInt16

    /// The fraction that is nearest to a number of seconds among its convergents, which finds the one that it was made
    /// of. Below a 65,535th of a second that is 0.
    init(_ seconds: Double) {
        var (former, last) = ((0.0, 1.0), (1.0, 0.0))
        var rest = min(max(seconds, 0), Double(UInt16.max))
        while true {
            let whole = rest.rounded(.down)
            let next = (whole * last.0 + former.0, whole * last.1 + former.1)
            guard max(next.0, next.1) <= Double(UInt16.max) else { break }
            (former, last) = (last, next)
            // What is left of a fraction that was stored is the error of its division.
            guard rest - whole > Self.error else { break }
            rest = 1 / (rest - whole)
        }
        (numerator, denominator) = (UInt16(last.0), UInt16(last.1))
    }

    private static let error = 1e-6
}
