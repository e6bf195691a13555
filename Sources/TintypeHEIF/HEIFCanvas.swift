import Foundation
import TintypeCore

/// The planes of a still image, decoded with libde265 and joined from its tiles, which are decoded at once on the
/// threads of the context.
final class HEIFCanvas {
    /// One plane.
    private struct Channel {
        let memory: UnsafeMutableRawBufferPointer
        let size: PixelSize
        let stride: Int
    }

    private let coded: HEIFStill.Coded
    private var channels: [Channel] = []
    /// Bits a sample, and the number of pixels that one sample of chroma covers.
    private var (depth, chromaScale) = (0, (across: 1, down: 1))
    private(set) var matrix: Int
    private(set) var isFullRange: Bool

    /// Decodes an image.
    ///
    /// - Parameter file: The file of the image.
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.Code.limitExceeded` if the image or its tiles are
    ///   too large; `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    init(_ coded: HEIFStill.Coded, _ file: UnsafeRawBufferPointer, _ context: DecodeContext) throws(TintypeError) {
        self.coded = coded
        (matrix, isFullRange) = (coded.layout.matrix ?? 2, coded.layout.isFullRange ?? false)
        let side = coded.layout.size
        // Tiles may be larger than the image.
        for size in [coded.size, side] { try context.limits.check(ImageInfo(format: .heic, size: size)) }
        guard !coded.tiles.isEmpty else { return }
        // The first one allocates the planes.
        try decode(0, file, context)
        try decodeOthers(file, context)
    }

    deinit {
        for channel in channels { channel.memory.deallocate() }
    }

    /// The plane of luma.
    var luma: YCbCrRows.Plane? { plane(0) }

    /// Returns a converter to RGB.
    ///
    /// - Returns: `nil` if the image lacks planes, or its matrix is not known.
    func makeRows() -> YCbCrRows? {
        guard HEIFStill.isConvertible(matrix: matrix), let luma, let blue = plane(1), let red = plane(2) else {
            return nil
        }
        return YCbCrRows(
            luma: luma, chroma: (blue, red), scale: chromaScale, matrix: matrix, isFullRange: isFullRange)
    }

    private func plane(_ index: Int) -> YCbCrRows.Plane? {
        guard channels.indices.contains(index), let bytes = channels[index].memory.baseAddress else { return nil }
        let channel = channels[index]
        return YCbCrRows.Plane(bytes: UnsafeRawPointer(bytes), stride: channel.stride, size: channel.size, depth: depth)
    }

    // MARK: Tiles

    /// Decodes all tiles but the first, each of which changes only its part of the planes.
    private func decodeOthers(_ file: UnsafeRawBufferPointer, _ context: DecodeContext) throws(TintypeError) {
        let tiles = Locked(1..<coded.tiles.count)
        let failure = Locked<TintypeError?>(nil)
        // Safe because each tile has its own part of the planes, and the file is only read.
        nonisolated(unsafe) let (canvas, file) = (self, file)
        // A decoder holds its tile and a few bytes for each pixel.
        let fitting = context.limits.memoryBytes / max(1, 16 * coded.layout.size.area)
        SpareThreads.run(min(context.threads, coded.tiles.count - 1, fitting)) { _ in
            while let index = tiles.withLock({ $0.popFirst() }), failure.withLock({ $0 == nil }) {
                do throws(TintypeError) { try canvas.decode(index, file, context) } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private func decode(
        _ index: Int, _ file: UnsafeRawBufferPointer, _ context: DecodeContext
    ) throws(TintypeError) {
        try context.checkCancelled()
        let (tile, side) = (coded.tiles[index], coded.layout.size)
        let origin = (x: index % coded.columns * side.width, y: index / coded.columns * side.height)
        let decoder = try HEVCDecoder(size: side)
        for set in tile.parameterSets { try decoder.push(UnsafeRawBufferPointer(rebasing: file[set]), tag: 0) }
        if tile.extents.count == 1 {
            let units = UnsafeRawBufferPointer(rebasing: file[tile.extents[0]])
            try decoder.push(units: units, lengthSize: tile.lengthSize, tag: 0)
        } else {
            // Extents that overlap could be joined to many times the file.
            guard tile.extents.reduce(0, { $0 + $1.count }) <= file.count else { throw .unexpectedTile }
            let joined = tile.extents.reduce(into: Data()) { $0.append(contentsOf: file[$1]) }
            try joined.withTypedBytes { raw throws(TintypeError) in
                try decoder.push(units: raw, lengthSize: tile.lengthSize, tag: 0)
            }
        }
        decoder.endFrame()
        try decoder.endStream()
        var count = 0
        try decoder.decode(isCancelled: context.isCancelled) { image throws(TintypeError) in
            count += 1
            guard count == 1 else { throw .unexpectedTile }
            try copy(image, to: origin)
        }
        guard count == 1 else { throw .unexpectedTile }
    }

    // MARK: Planes

    private func copy(_ image: HEVCImage, to origin: (x: Int, y: Int)) throws(TintypeError) {
        if channels.isEmpty { try allocate(for: image) }
        let scale = image.chromaScale
        for (index, channel) in channels.enumerated() {
            guard let source = image.plane(Int32(index)), source.depth == depth, scale == chromaScale else {
                throw .unexpectedTile
            }
            let (across, down) = index == 0 ? (1, 1) : scale
            let declared = Self.samples(coded.layout.size, across, down)
            guard source.size == declared else { throw .unexpectedTile }
            let (x, y) = (origin.x / across, origin.y / down)
            let bytes = min(declared.width, channel.size.width - x) * bytesPerSample
            // Tiles may lie outside of the grid.
            guard bytes > 0, let target = channel.memory.baseAddress else { continue }
            for row in 0..<max(min(declared.height, channel.size.height - y), 0) {
                (target + (y + row) * channel.stride + x * bytesPerSample).copyMemory(
                    from: source.bytes + row * source.stride, byteCount: bytes)
            }
        }
    }

    private var bytesPerSample: Int { depth > 8 ? 2 : 1 }

    private func allocate(for image: HEVCImage) throws(TintypeError) {
        guard let luma = image.plane(0) else { throw .unexpectedTile }
        (depth, chromaScale) = (luma.depth, image.chromaScale)
        if coded.layout.matrix == nil { matrix = image.matrix }
        if coded.layout.isFullRange == nil { isFullRange = image.isFullRange }
        for index in 0..<(coded.layout.chromaFormat == 0 ? 1 : 3) {
            let (across, down) = index == 0 ? (1, 1) : chromaScale
            let size = Self.samples(coded.size, across, down)
            let stride = size.width * bytesPerSample
            // Zeros, should a tile be smaller than it declares. Swift's own allocation traps when memory runs out.
            guard let memory = calloc(size.height, stride) else {
                throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to decode a HEIC")
            }
            channels.append(
                Channel(
                    memory: UnsafeMutableRawBufferPointer(start: memory, count: size.height * stride), size: size,
                    stride: stride))
        }
    }

    private static func samples(_ size: PixelSize, _ across: Int, _ down: Int) -> PixelSize {
        PixelSize(width: (size.width + across - 1) / across, height: (size.height + down - 1) / down)
    }
}

extension TintypeError {
    /// A still image that libde265 does not decode as declared, so libheif has to say what is wrong with it.
    fileprivate static let unexpectedTile = TintypeError(
        .undecodable, stage: .decode, "a coded image of the HEIC is not the declared one")
}
