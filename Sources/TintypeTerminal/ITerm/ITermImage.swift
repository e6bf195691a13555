package import Foundation
package import TintypeCore

/// The inline images of iTerm2 (https://iterm2.com/documentation-images.html).
package enum ITermImage {
    /// How a file is divided.
    package enum Form: Hashable, Sendable {
        /// One sequence.
        case single
        /// Several sequences (iTerm2 3.5 and later). tmux drops sequences of more than a megabyte.
        case multipart
    }

    /// The largest number of Base64 characters in a part.
    static let partSize = 200_000

    /// Returns the sequences that show an encoded image at the cursor, which they leave behind the image.
    ///
    /// - Parameters:
    ///   - file: The bytes of an image file. A terminal that knows the format plays its animation.
    ///   - span: The cells into which the image is scaled.
    ///   - form: One sequence or several.
    package static func show(file: Data, span: CellSpan, form: Form = .single) -> [UInt8] {
        let size = "inline=1;size=\(file.count);width=\(span.columns);height=\(span.rows);preserveAspectRatio=1"
        let encoded = file.base64EncodedData()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count + encoded.count / partSize * 24 + 160)
        switch form {
        case .single: append("File=\(size):", encoded, to: &bytes)
        case .multipart:
            append("MultipartFile=\(size)", Data(), to: &bytes)
            for start in stride(from: 0, to: encoded.count, by: partSize) {
                append("FilePart=", encoded[start..<min(encoded.count, start + partSize)], to: &bytes)
            }
            append("FileEnd", Data(), to: &bytes)
        }
        return bytes
    }

    /// Returns the sequences that show pixels, as a PNG file.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package static func show(
        _ pixels: PixelBuffer, span: CellSpan, form: Form = .single
    ) throws(TintypeError) -> [UInt8] {
        show(file: Data(try PNGFile.encode(pixels)), span: span, form: form)
    }

    private static func append(_ command: String, _ payload: Data, to bytes: inout [UInt8]) {
        bytes.append("\u{1B}]1337;\(command)")
        bytes.append(contentsOf: payload)
        bytes.append(0x07)
    }
}
