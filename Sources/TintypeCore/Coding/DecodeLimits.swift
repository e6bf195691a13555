/// The resources that decoding one image may use.
///
/// Limits are checked against the header, before anything is allocated, and again while decoding. The error names the
/// limit that was exceeded: see ``TintypeError/limit``.
public struct DecodeLimits: Hashable, Sendable {
    /// The maximum number of pixels of one frame.
    public var pixels: Int
    /// The maximum width or height, in pixels.
    public var side: Int
    /// The maximum number of frames of an animation.
    public var frames: Int
    /// The maximum number of scans of a progressive JPEG. Each costs a pass over the image.
    public var scans: Int
    /// The maximum number of pixels of all frames of an animation together.
    ///
    /// Each frame counts with the larger of the canvas and its own rectangle. Only a few frames are ever in memory, so
    /// this limits the time to reach the last frame.
    public var animatedPixels: Int
    /// The maximum number of bytes of a colour profile. The default, 4 MB, is twice the size of the largest printer
    /// profiles.
    public var profileBytes: Int
    /// The maximum number of bytes of Exif data, all segments together.
    public var exifBytes = 4 << 20
    /// The maximum number of bytes of decoded pixels per byte of the file, for images larger than 128 MB.
    ///
    /// Formats can store blank areas at far greater ratios, so smaller images are exempt.
    public var ratio = 20_000
    /// The maximum number of bytes of memory that one decode may need at its peak, the result included.
    ///
    /// In a worker process, the kernel enforces it. In this process, decoders compute the need from the header.
    public var memoryBytes = 2 << 30
    /// The maximum duration of one decode; for an animation, of decoding one requested frame.
    ///
    /// A worker process is killed at the limit. In this process, the limit is checked every few rows, so a decode ends
    /// a little later; with a library that offers no cancellation it is checked only at the end.
    public var time: Duration = .seconds(60)

    /// The number of bytes of decoded pixels up to which ``ratio`` is not checked: 128 MB, an image of 33 megapixels.
    package static let freeBytes = 128 << 20

    /// Creates limits; the other properties can be changed afterwards.
    ///
    /// - Parameters:
    ///   - pixels: Per frame.
    ///   - side: In pixels.
    ///   - frames: Per animation.
    ///   - scans: Per progressive JPEG.
    ///   - animatedPixels: For all frames together.
    ///   - profileBytes: Per colour profile.
    public init(
        pixels: Int = 100_000_000, side: Int = 65_535, frames: Int = 10_000, scans: Int = 500,
        animatedPixels: Int = 4_000_000_000, profileBytes: Int = 4 << 20
    ) {
        self.pixels = pixels
        self.side = side
        self.frames = frames
        self.scans = scans
        self.animatedPixels = animatedPixels
        self.profileBytes = profileBytes
    }
}

// MARK: - Checks

extension DecodeLimits {
    /// Checks the size and the number of frames in a header.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``; ``TintypeError/Code/undecodable`` for an image without pixels.
    package func check(_ info: ImageInfo) throws(TintypeError) {
        guard info.size.isPositive else {
            throw TintypeError(.undecodable, stage: .decode, "the image has no pixels (\(info.size))")
        }
        guard info.size.width <= side, info.size.height <= side else {
            throw .exceeded(.side, "the image has \(info.size) pixels; the limit per side is \(side)")
        }
        guard info.size.area <= pixels else {
            throw .exceeded(.pixels, "the image has \(info.size.area) pixels (\(info.size)); the limit is \(pixels)")
        }
        guard info.frameCount <= frames else {
            throw .exceeded(.frames, "the animation has \(info.frameCount) frames; the limit is \(frames)")
        }
    }

    /// Checks a header, and the ratio of decoded pixels to encoded bytes.
    ///
    /// - Parameters:
    ///   - info: The header.
    ///   - byteCount: The number of bytes of the encoded image.
    /// - Throws: ``TintypeError/Code/limitExceeded``; ``TintypeError/Code/undecodable`` for an image without pixels.
    public func check(_ info: ImageInfo, byteCount: Int) throws(TintypeError) {
        try check(info)
        let (product, overflow) = info.size.area.multipliedReportingOverflow(by: PixelBuffer.bytesPerPixel)
        let decoded = overflow ? .max : product
        guard decoded <= Self.freeBytes || decoded / max(byteCount, 1) <= ratio else {
            throw .exceeded(.ratio, "\(byteCount) bytes expand to \(decoded) bytes; the limit is \(ratio) per byte")
        }
    }

    /// Checks the frames of an animation.
    ///
    /// - Parameters:
    ///   - frames: The frames, in the order of the animation.
    ///   - canvas: The size of the canvas in pixels.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if a frame, or all together, have too many pixels;
    ///   ``TintypeError/Code/undecodable`` for a frame without pixels.
    public func check(_ frames: [AnimationFrame], canvas: PixelSize) throws(TintypeError) {
        guard frames.count <= self.frames else {
            throw .exceeded(.frames, "the animation has \(frames.count) frames; the limit is \(self.frames)")
        }
        // The canvas, its copy before a frame that is disposed of, a frame, and the image that is shown.
        let bytesPerPixel = 4 * PixelBuffer.bytesPerPixel
        try checkMemory(bytesPerPixel: bytesPerPixel, of: canvas)
        var (left, largest) = (animatedPixels, canvas.area)
        for frame in frames {
            guard frame.rect.size.isPositive else {
                throw TintypeError(.undecodable, stage: .decode, "a frame has no pixels (\(frame.rect.size))")
            }
            guard frame.rect.size.area <= pixels else {
                throw .exceeded(.pixels, "a frame has \(frame.rect.size) pixels; the limit is \(pixels)")
            }
            // Compared before it is subtracted, because the areas may be as large as an Int.
            let area = max(canvas.area, frame.rect.size.area)
            guard area <= left else {
                throw .exceeded(
                    .animatedPixels, "the frames of the animation exceed the limit of \(animatedPixels) pixels")
            }
            left -= area
            largest = max(largest, area)
        }
        // What a frame has beyond the canvas is decoded, to indices and then to pixels, before it is clipped.
        try checkMemory(bytesPerPixel: bytesPerPixel, of: canvas, other: 5 * Double(largest - canvas.area))
    }

    /// Checks the memory that a decode needs.
    ///
    /// - Parameters:
    ///   - bytesPerPixel: The bytes that the decoder needs for each pixel at its peak, the result included.
    ///   - size: The size of the image in pixels.
    ///   - other: Further bytes.
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    package func checkMemory(
        bytesPerPixel: Int, of size: PixelSize, other: Double = 0
    ) throws(TintypeError) {
        try checkMemory(Double(size.area) * Double(bytesPerPixel) + other, decoding: "\(size) pixels")
    }

    /// Returns whether ``checkMemory(bytesPerPixel:of:other:)`` accepts a need.
    package func allowsMemory(bytesPerPixel: Int, of size: PixelSize, other: Double = 0) -> Bool {
        (try? checkMemory(bytesPerPixel: bytesPerPixel, of: size, other: other)) != nil
    }

    /// Checks the memory that a decode needs.
    ///
    /// - Parameters:
    ///   - need: The number of bytes at the peak, the result included.
    ///   - subject: What is decoded, for the error.
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    package func checkMemory(_ need: Double, decoding subject: @autoclosure () -> String) throws(TintypeError) {
        guard need <= Double(memoryBytes) else {
            // A need that is not a number is refused as well.
            let bytes = need < 1e18 ? Int(need) : Int(1e18)
            throw .exceeded(
                .memoryBytes, "decoding \(subject()) needs \(bytes) bytes of memory; the limit is \(memoryBytes)")
        }
    }

    /// Checks the size of a colour profile.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    package func check(profileBytes count: Int) throws(TintypeError) {
        guard count <= profileBytes else {
            throw .exceeded(.profileBytes, "the colour profile has \(count) bytes; the limit is \(profileBytes)")
        }
    }

    /// Checks the size of the Exif data, all segments together.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    package func check(exifBytes count: Int) throws(TintypeError) {
        guard count <= exifBytes else {
            throw .exceeded(.exifBytes, "the Exif data has \(count) bytes; the limit is \(exifBytes)")
        }
    }
}

// MARK: - Errors

/// Names the limit that an image exceeded: one of the ``DecodeLimits``, or the number of its bytes.
public enum DecodeLimit: String, Error, Hashable, Sendable, CaseIterable {
    /// ``DecodeLimits/pixels``.
    case pixels
    /// ``DecodeLimits/side``.
    case side
    /// ``DecodeLimits/frames``.
    case frames
    /// ``DecodeLimits/animatedPixels``.
    case animatedPixels
    /// ``DecodeLimits/scans``.
    case scans
    /// ``DecodeLimits/profileBytes``.
    case profileBytes
    /// ``DecodeLimits/exifBytes``.
    case exifBytes
    /// ``DecodeLimits/ratio``.
    case ratio
    /// ``DecodeLimits/memoryBytes``.
    case memoryBytes
    /// ``DecodeLimits/time``.
    case time
    /// ``PipelineConfiguration/maximumByteCount``, the number of bytes of a body or file. Its errors have the stage
    /// `load`.
    case bytes
    /// A limit that is built into a codec library.
    case library
}

extension TintypeError {
    /// The limit that an image exceeded; `nil` unless the code is ``Code/limitExceeded`` and a decoder threw the error,
    /// or the image has too many bytes.
    public var limit: DecodeLimit? { underlying as? DecodeLimit }

    /// Returns a ``Code/limitExceeded`` error of the decode stage.
    ///
    /// - Parameter message: The actual value and the limit.
    package static func exceeded(_ limit: DecodeLimit, _ message: String) -> TintypeError {
        TintypeError(.limitExceeded, stage: .decode, message, underlying: limit)
    }

    /// Returns a ``Code/limitExceeded`` error of the load stage, for a body or file with more than `limit` bytes.
    package static func exceeded(byteLimit limit: Int) -> TintypeError {
        TintypeError(
            .limitExceeded, stage: .load, "the image has more than \(limit) bytes", underlying: DecodeLimit.bytes)
    }
}
