import Foundation

/// The texts in a PNG that are metadata: XMP, comments, and the profiles that ImageMagick and ExifTool write as text.
struct PNGText {
    /// The keyword.
    let keyword: String
    /// The text, not compressed.
    let text: Data

    /// Reads a text chunk (PNG third edition, 11.3.3).
    ///
    /// - Parameters:
    ///   - kind: `tEXt`, `zTXt` or `iTXt`.
    ///   - limit: The longest text in bytes.
    /// - Returns: `nil` if the chunk is damaged, or its text too long, or compressed and zlib cannot be loaded.
    init?(_ kind: String, _ body: Data, limit: Int) {
        guard let end = body.firstIndex(of: 0), end - body.startIndex <= 79 else { return nil }
        keyword = String(decoding: body[..<end], as: UTF8.self)
        var rest = body[(end + 1)...]
        var isCompressed = kind == "zTXt"
        if isCompressed { rest = rest.dropFirst() }
        if kind == "iTXt" {
            guard rest.count >= 2, let flag = rest.first else { return nil }
            isCompressed = flag == 1
            rest = rest.dropFirst(2)
            // The language, and the translated keyword.
            for _ in 0..<2 {
                guard let end = rest.firstIndex(of: 0) else { return nil }
                rest = rest[(end + 1)...]
            }
        }
        guard let text = isCompressed ? InflatedText.inflate(rest, limit: limit) : Data(rest), text.count <= limit
        else {
            return nil
        }
        self.text = text
    }

    /// Whether a chunk may have metadata, which is decided before its text is decompressed.
    static func isMetadata(_ body: Data) -> Bool {
        let head = String(decoding: body.prefix(40), as: UTF8.self).lowercased()
        return ["raw profile type ", "comment\0", "xml:com.adobe.xmp\0"].contains { head.hasPrefix($0) }
    }

    /// The keyword of a profile before its kind.
    static let profilePrefix = "Raw profile type "

    /// The kind of the profile, such as `iptc`; `nil` for another text.
    var profileKind: String? {
        keyword.hasPrefix(Self.profilePrefix) ? String(keyword.dropFirst(Self.profilePrefix.count)) : nil
    }

    /// The bytes of a profile: a line with a name, a line with their number, and hexadecimal digits.
    var profile: Data? {
        let lines = text.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: true)
        guard lines.count == 3,
            let count = Int(String(decoding: lines[1], as: UTF8.self).trimmingCharacters(in: .whitespaces)),
            count > 0, count <= text.count / 2
        else { return nil }
        let digits = lines[2].compactMap(Self.digit)
        guard digits.count >= 2 * count else { return nil }
        return Data((0..<count).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the body of a `tEXt` chunk with a profile.
    static func chunk(_ kind: String, _ profile: Data) -> Data {
        let digits = Array("0123456789abcdef".utf8)
        var body = Data("\(profilePrefix)\(kind)\0\n\(kind)\n\(String(profile.count).leftPadded(8))\n".utf8)
        for (index, byte) in profile.enumerated() {
            body += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            // As many digits in a line as ImageMagick and ExifTool write.
            if index % 36 == 35 { body.append(0x0A) }
        }
        if profile.count % 36 != 0 { body.append(0x0A) }
        return body
    }
}

extension String {
    fileprivate func leftPadded(_ count: Int) -> String {
        String(repeating: " ", count: max(count - self.count, 0)) + self
    }
}

/// zlib, loaded at the first text that is compressed.
private enum InflatedText {
    /// `uncompress` of zlib.
    private typealias Uncompress =
        @convention(c) (
            UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CUnsignedLong>, UnsafePointer<UInt8>?, CUnsignedLong
        ) -> CInt

    #if canImport(Darwin)
    private static let files = ["libz.1.dylib"]
    #else
    private static let files = ["libz.so.1"]
    #endif

    private static let library: RuntimeLibrary? = "uncompress".withCString { name in
        try? RuntimeLibrary(
            files, functions: .init([name, nil]), .init("zlib, which reads compressed texts", packages: "zlib1g"))
    }

    /// Returns the bytes of a zlib stream; `nil` if it is damaged or longer than `limit`.
    static func inflate(_ stream: Data, limit: Int) -> Data? {
        guard let library else { return nil }
        let function = UnsafePointer<UnsafeRawPointer>(library.functions).pointee
        let uncompress = unsafeBitCast(function, to: Uncompress.self)
        // The first guess suffices for most texts.
        var size = min(max(stream.count * 8, 1024), limit)
        while true {
            var (text, count) = ([UInt8](repeating: 0, count: size), CUnsignedLong(size))
            let status = stream.withUnsafeBytes { bytes in
                uncompress(&text, &count, bytes.bindMemory(to: UInt8.self).baseAddress, CUnsignedLong(bytes.count))
            }
            switch status {
            case 0: return Data(text.prefix(Int(count)))
            // Z_BUF_ERROR: the buffer is too small.
            case -5 where size < limit: size = min(size * 4, limit)
            default: return nil
            }
        }
    }
}
