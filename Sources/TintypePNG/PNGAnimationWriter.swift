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
