import TintypeCore

/// The encoding of a document. Bytes that the survey reads as ASCII must mean the same to librsvg.
enum SVGEncoding {
    /// The beginnings of the names of encodings in which every byte below 0x40 stands for itself.
    private static let plain = [
        "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-", "iso8859-", "latin", "windows-125", "cp125", "koi8-",
        "gb2312",
        "gbk", "gb18030", "big5", "shift_jis", "euc-",
    ]

    /// Checks that the bytes are markup, neither compressed nor in an encoding that hides it.
    ///
    /// - Throws: ``TintypeError/Code/undecodable``.
    static func check(_ bytes: [UInt8]) throws(TintypeError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = (bytes.starts(with: mark) ? bytes[3...] : bytes[...]).drop { $0 <= 0x20 && $0 > 0 }
        guard text.first == UInt8(ascii: "<"), text.dropFirst().first != 0 else {
            throw TintypeError(
                .undecodable, stage: .decode, "the SVG is not text in UTF-8 or another encoding that contains ASCII")
        }
        guard let name = declaredName(text) else { return }
        guard plain.contains(where: name.hasPrefix) else {
            throw TintypeError(.undecodable, stage: .decode, "the encoding of the SVG, \(name), is not supported")
        }
    }

    /// Returns the encoding that the XML declaration states (XML 1.0, 2.8), in lowercase.
    private static func declaredName(_ text: ArraySlice<UInt8>) -> String? {
        guard text.starts(with: "<?xml".utf8) else { return nil }
        let declaration = text.prefix { $0 != UInt8(ascii: ">") }
        var attributes = SVGAttributes(declaration.dropFirst(5))
        while let (name, value) = attributes.next() {
            if name.elementsEqual("encoding".utf8) { return String(decoding: value, as: UTF8.self).lowercased() }
        }
        return nil
    }
}
