import CLibHEIF
import Foundation
import TintypeColor
import TintypeCore

/// Reads the primary image of one file with libheif, on the calling thread. Pixels that ``HEIFStill`` describes are
/// decoded with libde265.
struct HEIFReader: ~Copyable {
    /// What libheif reads instead of the file, if it needs a copy. It must outlive the context.
    private let adaptedCopy: HEIFAdaptedCopy?
    /// What libheif reads.
    private let bytes: UnsafeRawBufferPointer
    /// The number of a thumbnail; `nil` for the primary image.
    private let item: Int?
    /// `nil` for a thumbnail, which belongs to the context of another reader.
    private let context: OpaquePointer?
    private let handle: OpaquePointer
    /// The orientation that the file declares. libheif applies it while it decodes; rows that libde265 has decoded are
    /// turned here.
    private let orientation: Orientation
    /// See ``HEIFCodePoints``.
    private let knowsCodePoints: Bool
    private let damage = Damage()

    private final class Damage {
        var isFound = false
    }

    /// Whether libde265 found damage in the pixels that were decoded. libheif shows what is left of them.
    var hasDamagedPixels: Bool { damage.isFound }

    /// Reads everything but pixels.
    ///
    /// - Parameters:
    ///   - bytes: The file. They must outlive the reader.
    ///   - item: The number of another image to read instead of the primary one.
    /// - Throws: `TintypeError.Code.limitExceeded` if the image, its profile or its Exif data is too large;
    ///   `TintypeError.Code.undecodable`; `TintypeError.Code.outOfMemory`.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits, item: Int? = nil) throws(TintypeError) {
        try HEIFLibrary.load()
        let adaptedCopy = try HEIFAdaptedCopy.ifNeeded(bytes, showing: item)
        let bytes = adaptedCopy?.bytes ?? bytes
        guard let context = heif_context_alloc() else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a HEIC decoder")
        }
        // Without libheif's own threads.
        heif_context_set_max_decoding_threads(context, 0)
        // libheif only notes the sizes here; they are checked below, where the error names the limit.
        heif_context_set_maximum_image_size_limit(context, Self.maxSide)
        var handle: OpaquePointer?
        do throws(TintypeError) {
            try Self.check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
            try Self.check(heif_context_get_primary_image_handle(context, &handle))
            if let handle {
                try limits.check(ImageInfo(format: .heic, size: Self.size(of: handle)))
                // The limit of libheif is the square of this. The decoded size may differ from the declared one.
                let side = Double(max(limits.pixels, 1)).squareRoot().rounded(.up)
                heif_context_set_maximum_image_size_limit(context, min(Int32(min(side, 1e6)), Self.maxSide))
                try limits.check(profileBytes: heif_image_handle_get_raw_color_profile_size(handle))
                try limits.check(exifBytes: Self.exifItem(handle)?.count ?? 0)
            }
        } catch {
            heif_image_handle_release(handle)
            heif_context_free(context)
            throw error
        }
        guard let handle else {
            heif_context_free(context)
            throw TintypeError(.undecodable, stage: .decode, "the HEIC has no image")
        }
        self.adaptedCopy = adaptedCopy
        (self.bytes, self.item) = (bytes, nil)
        self.context = context
        self.handle = handle
        // An image that libheif accepts is shown even if its orientation cannot be read.
        orientation = (try? Orientation(primaryItemOf: bytes)) ?? .up
        knowsCodePoints = HEIFCodePoints.areKnown(in: bytes)
    }

    deinit {
        heif_image_handle_release(handle)
        if let context { heif_context_free(context) }
    }

    private init(
        thumbnail handle: OpaquePointer, _ item: Int, _ bytes: UnsafeRawBufferPointer, knowsCodePoints: Bool
    ) {
        (adaptedCopy, context) = (nil, nil)
        (self.bytes, self.item) = (bytes, item)
        self.handle = handle
        orientation = .up
        self.knowsCodePoints = knowsCodePoints
    }

    /// Returns the smallest thumbnail of at least a size that shows the whole image; `nil` if there is none. It must
    /// not outlive this reader.
    func thumbnail(atLeast size: PixelSize) -> HEIFReader? {
        var items = [heif_item_id](repeating: 0, count: Self.maxThumbnails)
        let count = heif_image_handle_get_list_of_thumbnail_IDs(handle, &items, Int32(items.count))
        var (best, bestItem, bestSize): (OpaquePointer?, Int, PixelSize) = (nil, 0, info.size)
        for item in items.prefix(Int(max(count, 0))) {
            var thumbnail: OpaquePointer?
            let error = heif_image_handle_get_thumbnail(handle, item, &thumbnail)
            guard error.code == heif_error_Ok, let thumbnail else { continue }
            let thumbnailSize = Self.size(of: thumbnail)
            if thumbnailSize.isThumbnail(of: info.size, atLeast: size), thumbnailSize.area < bestSize.area {
                if let best { heif_image_handle_release(best) }
                (best, bestItem, bestSize) = (thumbnail, Int(item), thumbnailSize)
            } else {
                heif_image_handle_release(thumbnail)
            }
        }
        return best.map { HEIFReader(thumbnail: $0, bestItem, bytes, knowsCodePoints: knowsCodePoints) }
    }

    private static let maxThumbnails = 8
    /// The side of the largest image that libheif decodes, in pixels.
    private static let maxSide: Int32 = 32_768

    private static func size(of handle: OpaquePointer) -> PixelSize {
        PixelSize(width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
    }

    // MARK: Properties

    /// The properties of the image, rotated and cropped as libheif decodes it.
    var info: ImageInfo {
        var info = ImageInfo(
            format: .heic, size: Self.size(of: handle), orientation: orientation,
            hasAlpha: heif_image_handle_has_alpha_channel(handle) != 0,
            density: exif?.density)
        info.bitDepth = max(info.bitDepth, depth)
        info.isHighRange = codedColors?.isHighRange == true
        return info
    }

    private var isPremultiplied: Bool { heif_image_handle_is_premultiplied_alpha(handle) != 0 }

    /// Whether a channel has more than 8 bits.
    var isWide: Bool { depth > 8 }
    private var depth: Int { Int(heif_image_handle_get_luma_bits_per_pixel(handle)) }

    /// Returns the meaning of the samples: the code points of a high-range transfer, which no profile can express,
    /// otherwise the profile, otherwise the code points.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` for a profile that is too large.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        let coded = codedColors
        let count = heif_image_handle_get_raw_color_profile_size(handle)
        guard coded?.isHighRange != true, count > 0 else { return coded ?? .standard }
        try limits.check(profileBytes: count)
        var profile = Data(count: count)
        let error = profile.withUnsafeMutableBytes {
            heif_image_handle_get_raw_color_profile(handle, $0.baseAddress)
        }
        return error.code == heif_error_Ok ? .profile(profile) : .standard
    }

    private var codedColors: SourceColors? {
        guard knowsCodePoints else { return nil }
        var coded: UnsafeMutablePointer<heif_color_profile_nclx>?
        guard heif_image_handle_get_nclx_color_profile(handle, &coded).code == heif_error_Ok, let coded else {
            return nil
        }
        defer { heif_nclx_color_profile_free(coded) }
        return .codePoints(
            primaries: Int(coded.pointee.color_primaries.rawValue),
            transfer: Int(coded.pointee.transfer_characteristics.rawValue))
    }

    var exif: ExifData? {
        guard let (item, count) = Self.exifItem(handle), count > 0 else { return nil }
        var bytes = Data(count: count)
        let error = bytes.withUnsafeMutableBytes { heif_image_handle_get_metadata(handle, item, $0.baseAddress) }
        guard error.code == heif_error_Ok else { return nil }
        return ExifData(item: bytes)
    }

    /// The XMP packet, an item with its own type (ISO/IEC 23008-12, A.3), if it has at most `limit` bytes.
    func xmp(atMost limit: Int) -> Data? {
        var items = [heif_item_id](repeating: 0, count: 16)
        let count = heif_image_handle_get_list_of_metadata_block_IDs(handle, "mime", &items, Int32(items.count))
        for item in items.prefix(Int(count)) {
            guard let type = heif_image_handle_get_metadata_content_type(handle, item),
                String(cString: type) == "application/rdf+xml"
            else { continue }
            let size = heif_image_handle_get_metadata_size(handle, item)
            guard size > 0, size <= limit else { return nil }
            var packet = Data(count: size)
            let error = packet.withUnsafeMutableBytes { heif_image_handle_get_metadata(handle, item, $0.baseAddress) }
            return error.code == heif_error_Ok ? packet : nil
        }
        return nil
    }

    private static func exifItem(_ handle: OpaquePointer) -> (item: heif_item_id, count: Int)? {
        var item: heif_item_id = 0
        guard heif_image_handle_get_list_of_metadata_block_IDs(handle, "Exif", &item, 1) == 1 else { return nil }
        return (item, heif_image_handle_get_metadata_size(handle, item))
    }

    // MARK: Pixels

    /// Decodes the image and resamples it to a part and size.
    ///
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.Code.limitExceeded`;
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    func decodeImage(
        _ target: DecodeTarget, _ colors: SourceColors, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let usesWords = colors.isHighRange || (isWide && context.options.range == .high)
        let rows = try readRows(context, asWords: usesWords && isWide)
        let stored = try target.stored(in: rows.orientation, of: info.size)
        guard usesWords else {
            let pixels = try convertAndResample(rows, stored, ColorConverter(colors, .rgb))
            return WideImage(pixels: try pixels.oriented(rows.orientation), highRange: nil)
        }
        let maker = WideRows(rows.size, stored, WideConverter(colors, .rgb), context)
        let unpremultiplies = info.hasAlpha && isPremultiplied
        let length = rows.size.width * 4
        return try maker.image { (first, count, words) in
            for y in 0..<count {
                rows.read(first + y, into: UnsafeMutableBufferPointer(rebasing: words[y * length..<(y + 1) * length]))
            }
            if unpremultiplies { WideRows.unpremultiply(words) }
        }.oriented(rows.orientation)
    }

    private func readRows(_ context: DecodeContext, asWords: Bool) throws(TintypeError) -> any HEIFRows {
        // `??` does not preserve the type of an error.
        if let rows = try interpolatedRows(context) { return rows }
        return try HEIFPlane(handle, info.size, isWide: asWords)
    }

    /// Decodes the image without libheif, if its chroma has fewer samples than pixels.
    ///
    /// - Returns: `nil` for other images, and for damaged ones: libheif tells what is wrong with them, or shows them.
    /// - Throws: `TintypeError.Code.limitExceeded`; `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    private func interpolatedRows(_ context: DecodeContext) throws(TintypeError) -> (any HEIFRows)? {
        guard let still = try describedStill(), (still.alpha != nil) == info.hasAlpha,
            still.color.orientation.displayed(still.color.crop.size) == info.size
        else { return nil }
        do throws(TintypeError) {
            return try HEIFInterpolatedRows(still, bytes, context)
        } catch {
            guard error.code == .undecodable else { throw error }
            damage.isFound = true
            return nil
        }
    }

    /// - Returns: `nil` also for invalid boxes, of which libheif reads fewer.
    private func describedStill() throws(TintypeError) -> HEIFStill? {
        do throws(TintypeError) {
            return try HEIFStill(bytes, item: item)
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    /// Converts an image of 8 bits per channel to premultiplied sRGB, and resamples it.
    private func convertAndResample(
        _ rows: any HEIFRows, _ target: DecodeTarget, _ converter: ColorConverter?
    ) throws(TintypeError) -> PixelBuffer {
        let size = rows.size
        var nextRow = 0
        let (isPremultiplied, isStraight) = (
            info.hasAlpha && self.isPremultiplied, info.hasAlpha && !self.isPremultiplied
        )
        func read(_ count: Int, _ strip: inout PixelWriter) {
            for row in 0..<count {
                strip.withRows(from: row) { bytes in
                    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    rows.read(nextRow + row, into: UnsafeMutableBufferPointer(start: start, count: size.width * 4))
                }
            }
            if isPremultiplied {
                strip.convertPremultiplied(rows: count, by: converter)
            } else {
                strip.convert(rows: count, by: converter)
            }
            if isStraight { strip.premultiply(rows: count) }
            nextRow += count
        }
        guard !target.isAll(of: size) else {
            var writer = try PixelWriter(size: size)
            read(size.height, &writer)
            return writer.finish()
        }
        return try RowResampler.resampled(size, crop: target.part, to: target.size) { (count, strip) in
            read(count, &strip)
            return count
        }
    }

    /// Throws the error for a result of libheif that is not `heif_error_Ok`.
    static func check(_ error: heif_error) throws(TintypeError) {
        guard error.code != heif_error_Ok else { return }
        let reason = error.message.map { String(cString: $0) } ?? ""
        switch (error.code, error.subcode) {
        case (_, heif_suberror_Security_limit_exceeded):
            throw .exceeded(.library, "the HEIC exceeds a limit of libheif: \(reason)")
        case (heif_error_Memory_allocation_error, _):
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to decode a HEIC")
        default: throw TintypeError(.undecodable, stage: .decode, "the HEIC is damaged or truncated: \(reason)")
        }
    }
}

extension DecodeTarget {
    /// Returns the target of an upright image in the orientation of its stored pixels.
    ///
    /// - Parameter size: The size of the upright image in pixels.
    /// - Throws: `TintypeError.Code.transformFailed` if the part lies outside of it.
    fileprivate func stored(in orientation: Orientation, of size: PixelSize) throws(TintypeError) -> DecodeTarget {
        guard orientation != .up else { return self }
        return try DecodeTarget(
            ImageInfo(format: .heic, size: size, orientation: orientation),
            options: DecodeOptions(crop: part, size: .shrink(self.size)))
    }
}
