import Foundation
import TintypeCore

// What a worker tells of an image. The host checks every value, because the worker may have been taken over.

extension WireWriter {
    mutating func write(_ info: ImageInfo) {
        write(info.format.rawValue)
        write(info.size)
        write(info.orientation.rawValue)
        write(info.hasAlpha)
        write(info.frameCount)
        write(info.loopCount)
        write(info.durations) { $0.write($1) }
        write(info.density) { writer, density in
            writer.write(density.across)
            writer.write(density.down)
        }
        write(info.drawing) { writer, drawing in
            writer.write(drawing.width)
            writer.write(drawing.height)
        }
        write(info.warnings) { $0.write($1.rawValue) }
        write(info.bitDepth)
        write(info.isHighRange)
    }

    mutating func write(_ frame: AnimationFrame) {
        write(frame.rect)
        write(frame.duration)
        write(frame.blend == .over)
        write(UInt8(frame.disposal == .background ? 1 : frame.disposal == .previous ? 2 : 0))
        write(frame.hasAlpha)
    }

    mutating func write(_ error: TintypeError) {
        write(error.code.rawValue)
        write(error.stage.rawValue)
        write(error.message)
        write(error.limit?.rawValue) { $0.write($1) }
    }
}

extension WireReader {
    mutating func info() throws(WireError) -> ImageInfo {
        var info = ImageInfo(format: ImageFormat(rawValue: try string()), size: try size())
        guard let orientation = Orientation(rawValue: try anyInt()) else { throw WireError("an unknown orientation") }
        info.orientation = orientation
        info.hasAlpha = try flag()
        info.frameCount = try int(in: 1...1 << 32)
        info.loopCount = try int(in: 0...1 << 32)
        info.durations = try array(of: 8) { (reader) throws(WireError) in try reader.double() }
        info.density = try optional { (reader) throws(WireError) in
            guard let density = PixelDensity(across: try reader.double(), down: try reader.double()) else {
                throw WireError("an invalid density")
            }
            return density
        }
        info.drawing = try optional { (reader) throws(WireError) in
            DrawingSize(width: try reader.double(), height: try reader.double())
        }
        info.warnings = try array(of: 8) { (reader) throws(WireError) in
            guard let warning = DamageWarning(rawValue: try reader.anyInt()) else {
                throw WireError("an unknown warning")
            }
            return warning
        }
        info.bitDepth = try int(in: 1...64)
        info.isHighRange = try flag()
        return info
    }

    mutating func frame() throws(WireError) -> AnimationFrame {
        var frame = AnimationFrame(rect: try rect(), duration: try double())
        guard frame.rect.size.isPositive else { throw WireError("a frame without pixels") }
        frame.blend = try flag() ? .over : .source
        switch try number(UInt8.self) {
        case 0: frame.disposal = .keep
        case 1: frame.disposal = .background
        case 2: frame.disposal = .previous
        case let kind: throw WireError("\(kind) is no disposal")
        }
        frame.hasAlpha = try flag()
        return frame
    }

    mutating func error() throws(WireError) -> TintypeError {
        guard let code = TintypeError.Code(rawValue: try string()),
            let stage = TintypeError.Stage(rawValue: try string())
        else { throw WireError("an unknown error") }
        let message = try string()
        let limit = try optional { (reader) throws(WireError) in
            guard let limit = DecodeLimit(rawValue: try reader.string()) else { throw WireError("an unknown limit") }
            return limit
        }
        return code == .cancelled ? .cancelled : TintypeError(code, stage: stage, message, underlying: limit)
    }
}
