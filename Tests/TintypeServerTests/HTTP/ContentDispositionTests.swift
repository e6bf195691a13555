import Testing

@testable import TintypeServer

@Suite struct ContentDispositionTests {
    @Test(arguments: [
        ("cat", "inline; filename=\"cat.jpg\""), ("a b", "inline; filename=\"a b.jpg\""),
        ("../../etc/passwd", "inline; filename=\"etcpasswd.jpg\""), ("a\"; x=\"y", "inline; filename=\"a x=y.jpg\""),
        ("a\r\nSet-Cookie: b", "inline; filename=\"aSet-Cookie b.jpg\""), ("C:\\x", "inline; filename=\"Cx.jpg\""),
        ("", "inline; filename=\"image.jpg\""), (" . ", "inline; filename=\"image.jpg\""),
        (".htaccess", "inline; filename=\"htaccess.jpg\""), ("a%41", "inline; filename=\"a41.jpg\""),
        ("naïve", "inline; filename=\"na_ve.jpg\"; filename*=UTF-8''na%C3%AFve.jpg"),
        ("€ rates", "inline; filename=\"_ rates.jpg\"; filename*=UTF-8''%E2%82%AC%20rates.jpg"),
        ("gpj.\u{202E}exe", "inline; filename=\"gpj.exe.jpg\""), ("a\u{0}b", "inline; filename=\"ab.jpg\""),
    ])
    func aNameFromOutsideIsSafe(_ stem: String, _ value: String) {
        #expect(ContentDisposition.value(stem: stem, fileExtension: "jpg", isAttachment: false) == value)
    }

    @Test func anAttachmentIsSaved() {
        #expect(
            ContentDisposition.value(stem: "a", fileExtension: "webp", isAttachment: true)
                == "attachment; filename=\"a.webp\"")
    }

    @Test func aLongNameIsCut() {
        let value = ContentDisposition.safe(String(repeating: "x", count: 10_000))
        #expect(value.count == ContentDisposition.maximumCharacterCount)
    }

    @Test func everyCharacterLeavesAValidField() {
        for number in 0..<0x3000 {
            guard let scalar = Unicode.Scalar(UInt32(number)) else { continue }
            let value = ContentDisposition.value(stem: "a\(scalar)b", fileExtension: "png", isAttachment: false)
            #expect(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "U+\(String(number, radix: 16))")
            #expect(value.split(separator: "\"", omittingEmptySubsequences: false).count == 3)
        }
    }
}
