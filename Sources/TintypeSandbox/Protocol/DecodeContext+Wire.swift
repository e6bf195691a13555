import TintypeCore

// The options and limits of a decode, from the host to a worker.

extension WireWriter {
    mutating func write(_ context: DecodeContext) {
        write(context.options)
        write(context.limits)
        write(UInt8(clamping: context.threads))
    }

    private mutating func write(_ options: DecodeOptions) {
        write(options.crop) { $0.write($1) }
        write(options.size)
        write(UInt8(options.frames == .first ? 1 : options.frames == .animatedOnly ? 2 : 0))
        write(options.range == .high)
        write(options.scale) { $0.write($1) }
        write(options.page)
        write(options.time.components.seconds)
        write(options.time.components.attoseconds)
        write(options.keepsExif)
        write(options.embeddedThumbnail == .whereLargeEnough)
        write(options.damageTolerance == .minor)
        write(options.allowsPartial)
    }

    private mutating func write(_ size: DecodeOptions.Size) {
        switch size {
        case .full: write(UInt8(0))
        case .fit(let box): write(1, box)
        case .shrink(let box): write(2, box)
        case .cover(let box): write(3, box)
        case .atMost(let count):
            write(UInt8(4))
            write(count)
        case .noPixels: write(UInt8(5))
        }
    }

    private mutating func write(_ kind: UInt8, _ box: PixelSize) {
        write(kind)
        write(box)
    }

    private mutating func write(_ limits: DecodeLimits) {
        for limit in limits.numbers { write(limits[keyPath: limit]) }
        write(limits.time.components.seconds)
        write(limits.time.components.attoseconds)
    }
}

extension WireReader {
    mutating func context() throws(WireError) -> DecodeContext {
        var context = DecodeContext(options: try options(), limits: try limits())
        context.threads = max(1, Int(try number(UInt8.self)))
        return context
    }

    private mutating func options() throws(WireError) -> DecodeOptions {
        var options = DecodeOptions()
        options.crop = try optional { (reader) throws(WireError) in try reader.rect() }
        options.size = try decodeSize()
        switch try number(UInt8.self) {
        case 0: options.frames = .all
        case 1: options.frames = .first
        case 2: options.frames = .animatedOnly
        case let kind: throw WireError("\(kind) is no choice of frames")
        }
        options.range = try flag() ? .high : .standard
        options.scale = try optional { (reader) throws(WireError) in try reader.double() }
        options.page = try anyInt()
        options.time = Duration(secondsComponent: try number(), attosecondsComponent: try number())
        options.keepsExif = try flag()
        options.embeddedThumbnail = try flag() ? .whereLargeEnough : .never
        options.damageTolerance = try flag() ? .minor : .none
        options.allowsPartial = try flag()
        return options
    }

    private mutating func decodeSize() throws(WireError) -> DecodeOptions.Size {
        switch try number(UInt8.self) {
        case 0: .full
        case 1: .fit(try size())
        case 2: .shrink(try size())
        case 3: .cover(try size())
        case 4: .atMost(bytes: try int(in: 0...Int.max))
        case 5: .noPixels
        case let kind: throw WireError("\(kind) is no decoded size")
        }
    }

    private mutating func limits() throws(WireError) -> DecodeLimits {
        var limits = DecodeLimits()
        for limit in limits.numbers { limits[keyPath: limit] = try anyInt() }
        limits.time = Duration(secondsComponent: try number(), attosecondsComponent: try number())
        return limits
    }
}

extension DecodeLimits {
    /// All limits that are numbers, in the order of messages.
    fileprivate var numbers: [WritableKeyPath<DecodeLimits, Int>] {
        [
            \.pixels, \.side, \.frames, \.scans, \.animatedPixels, \.profileBytes, \.exifBytes, \.ratio,
            \.memoryBytes,
        ]
    }
}
