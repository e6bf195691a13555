import CLibHEIF
import Foundation
import TintypeColor
import TintypeCore

/// libheif reading the primary picture of one file, in the calling thread.
struct HEIFReader: ~Copyable {
    /// `nil` for a thumbnail, which lies in the file of another reader.
    private let context: OpaquePointer?
    private let handle: OpaquePointer
    /// As the file says it; libheif applies it while it decodes.
    private let orientation: Orientation
    /// See ``HEIFCodePoints``.
    private let knowsCodePoints: Bool

    /// Reads everything but pixels.
    ///
    /// - Parameter bytes: must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        guard let context = heif_context_alloc() else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a HEIC decoder")
        }
        // No threads of libheif's own.
        heif_context_set_max_decoding_threads(context, 0)
        // Sizes are only noted while it reads, and then checked here, where each limit has its name.
        heif_context_set_maximum_image_size_limit(context, Self.mostSide)
        var handle: OpaquePointer?
        do throws(TintypeError) {
            try Self.check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
            try Self.check(heif_context_get_primary_image_handle(context, &handle))
            if let handle {
                try limits.check(ImageInfo(format: .heic, size: Self.size(of: handle)))
                // The limit is the square of this. What is decoded need not be what the file has said.
                let side = Double(max(limits.pixels, 1)).squareRoot().rounded(.up)
                heif_context_set_maximum_image_size_limit(context, min(Int32(min(side, 1e6)), Self.mostSide))
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
            throw TintypeError(.undecodable, stage: .decode, "the HEIC has no picture")
        }
        self.context = context
        self.handle = handle
        // What libheif has understood is shown, whatever is told of it.
        orientation = (try? Orientation(primaryItemOf: bytes)) ?? .up
        knowsCodePoints = HEIFCodePoints.areKnown(in: bytes)
    }

    deinit {
        heif_image_handle_release(handle)
        if let context { heif_context_free(context) }
    }

    private init(thumbnail handle: OpaquePointer, knowsCodePoints: Bool) {
        context = nil
        self.handle = handle
        orientation = .up
        self.knowsCodePoints = knowsCodePoints
    }

    /// The smallest thumbnail that has as many pixels as are wanted, and shows as much as the picture; `nil` where there is
    /// none. It lives no longer than this.
    ///
    /// - Parameter parts: thumbnails that are not checked are passed over.
    func thumbnail(atLeast size: PixelSize, _ parts: HEIFParts) -> HEIFReader? {
        var items = [heif_item_id](repeating: 0, count: Self.mostThumbnails)
        let count = heif_image_handle_get_list_of_thumbnail_IDs(handle, &items, Int32(items.count))
        var (best, bestSize): (OpaquePointer?, PixelSize) = (nil, info.size)
        for item in items.prefix(Int(max(count, 0))) where parts.areChecked(of: Int(item)) {
            var found: OpaquePointer?
            let error = heif_image_handle_get_thumbnail(handle, item, &found)
            guard error.code == heif_error_Ok, let found else { continue }
            let own = Self.size(of: found)
            if own.stands(for: info.size, atLeast: size), own.area < bestSize.area {
                if let best { heif_image_handle_release(best) }
                (best, bestSize) = (found, own)
            } else {
                heif_image_handle_release(found)
            }
        }
        return best.map { HEIFReader(thumbnail: $0, knowsCodePoints: knowsCodePoints) }
    }

    private static let mostThumbnails = 8
    /// Of a picture of any size that libheif can decode.
    private static let mostSide: Int32 = 32_768

    private static func size(of handle: OpaquePointer) -> PixelSize {
        PixelSize(width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
    }

    /// What the file says of its picture, turned and cut as libheif does while it decodes.
    var info: ImageInfo {
        ImageInfo(
            format: .heic, size: Self.size(of: handle), orientation: orientation,
            hasAlpha: heif_image_handle_has_alpha_channel(handle) != 0,
            density: exif?.density)
    }

    private var isPremultiplied: Bool { heif_image_handle_is_premultiplied_alpha(handle) != 0 }

    /// More than 8 bits a channel.
    var isWide: Bool { heif_image_handle_get_luma_bits_per_pixel(handle) > 8 }

    /// Of a profile and code points that of both that says more: code points those of bright displays, which no profile
    /// tells.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a profile that is too large.
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

    private static func exifItem(_ handle: OpaquePointer) -> (item: heif_item_id, count: Int)? {
        var item: heif_item_id = 0
        guard heif_image_handle_get_list_of_metadata_block_IDs(handle, "Exif", &item, 1) == 1 else { return nil }
        return (item, heif_image_handle_get_metadata_size(handle, item))
    }

    /// Decodes the picture and brings it to a part and size.
    func picture(
        _ target: DecodeTarget, _ colors: SourceColors, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        guard colors.isHighRange || (isWide && context.options.range == .high) else {
            let plane = try HEIFPlane(handle, info.size, isWide: false)
            let pixels = try resampled(plane, target, ColorConverter(colors, .rgb))
            return WideImage(pixels: pixels, highRange: nil)
        }
        let plane = try HEIFPlane(handle, info.size, isWide: isWide)
        let rows = WideRows(info.size, target, WideConverter(colors, .rgb), context)
        let divides = info.hasAlpha && isPremultiplied
        return try rows.image { (first, count, words) in
            for y in 0..<count {
                plane.read(first + y, UnsafeMutableBufferPointer(rebasing: words[(y * plane.rowLength)...]))
            }
            if divides { WideRows.unpremultiply(words) }
        }
    }

    private func resampled(
        _ plane: borrowing HEIFPlane, _ target: DecodeTarget, _ converter: ColorConverter?
    ) throws(TintypeError) -> PixelBuffer {
        let size = info.size
        var next = 0
        let (multiplies, divides) = (info.hasAlpha && !isPremultiplied, info.hasAlpha && isPremultiplied)
        func read(_ count: Int, _ strip: inout PixelWriter) {
            for row in 0..<count { strip.withRows(from: row) { $0.copyMemory(from: plane.row(next + row)) } }
            if divides {
                strip.convertPremultiplied(rows: count, by: converter)
            } else {
                strip.convert(rows: count, by: converter)
            }
            if multiplies { strip.premultiply(rows: count) }
            next += count
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

    static func check(_ error: heif_error) throws(TintypeError) {
        guard error.code != heif_error_Ok else { return }
        let reason = error.message.map { String(cString: $0) } ?? ""
        switch (error.code, error.subcode) {
        case (_, heif_suberror_Security_limit_exceeded):
            throw .exceeded(.library, "a HEIC beyond the limits: \(reason)")
        case (heif_error_Memory_allocation_error, _):
            throw TintypeError(.outOfMemory, stage: .decode, "no memory to decode a HEIC")
        default: throw TintypeError(.undecodable, stage: .decode, "the HEIC is damaged or cut short: \(reason)")
        }
    }
}
