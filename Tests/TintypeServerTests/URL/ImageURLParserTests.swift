import Foundation
import Testing
import TintypeCore

@testable import TintypeServer

@Suite struct ImageURLParserTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func parser(_ change: (inout OptionsParser.Configuration) -> Void = { _ in }) throws -> ImageURLParser {
        var configuration = OptionsParser.Configuration()
        change(&configuration)
        return ImageURLParser(options: try OptionsParser(configuration))
    }

    @Test func theExampleOfTheDocumentationIsRead() throws {
        // docs/usage/processing.mdx, in its three forms.
        let parser = try parser { $0.presets = ["sharp=sharpen:0.7"] }
        let targets = [
            "/AfrO/preset:sharp/resize:fill:300:400:0/gravity:sm/plain/http://example.com/images/curiosity.jpg@png",
            "/AfrO/pr:sharp/rs:fill:300:400:0/g:sm/plain/http://example.com/images/curiosity.jpg@png",
            "/AfrO/pr:sharp/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
        ]
        for target in targets {
            let image = try parser.parse(target: target, now: Self.now)
            #expect(image.options.canonical == "rt:fill/w:300/h:400/g:sm/sh:0.7/f:png")
            #expect(image.source.text == "http://example.com/images/curiosity.jpg")
            #expect(image.presets == ["sharp"] && image.warnings.isEmpty && image.acceptance == .unsigned)
        }
    }

    /// A target, and the status with which it is refused.
    static let refused: [(String, Int, ImageURLError.Kind)] = [
        ("/", 400, .path), ("/sig", 400, .path), ("/sig/w:100", 400, .path), ("/sig/w:100/", 400, .path),
        ("/sig/wdth:1/plain/http://a/b", 400, .unknownOption), ("/sig/w:x/plain/http://a/b", 400, .argument),
        ("/sig/plain/http://a/b@xyz", 400, .argument), ("/sig/plain/http://a/b@jpg@png", 400, .path),
        ("/sig/fit/300/200/no/1/plain/http://a/b", 400, .oldForm), ("/w:1/h:1/plain/http://a/b", 403, .signature),
        ("/sig/exp:1799999999/plain/http://a/b", 410, .expired), ("/sig/exp:1/w:1/plain/http://a/b", 410, .expired),
        ("/sig/plain/a/b", 403, .source), ("/sig/plain/http://a b/", 403, .source),
        ("/sig/mrd:1/plain/http://a/b", 403, .forbiddenOption),
    ]

    @Test func aRefusalHasAStatus() throws {
        let parser = try parser()
        for (target, status, kind) in Self.refused {
            do {
                _ = try parser.parse(target: target, now: Self.now)
                Issue.record("\(target)")
            } catch {
                #expect(error.status == status && error.kind == kind, "\(target): \(error)")
                #expect(!error.detail.isEmpty)
            }
        }
    }

    @Test func theExpiryIsThatOfTheLastOption() throws {
        let parser = try parser()
        for target in [
            "/s/exp:1800000000/plain/http://a/b", "/s/exp:0/plain/http://a/b",
            "/s/exp:1/exp:1900000000/plain/http://a/b",
        ] {
            _ = try parser.parse(target: target, now: Self.now)
        }
    }

    @Test func theExtensionNamesTheFormatUnlessTheSourceIsPassedThrough() throws {
        let parser = try parser()
        #expect(
            try parser.parse(target: "/s/f:png/plain/http://a/b@webp", now: Self.now).options.output.format == .webp)
        let raw = try parser.parse(target: "/s/raw:1/plain/http://a/b@xyz", now: Self.now)
        #expect(raw.options.output.format == nil && raw.options.output.isRaw)
    }

    @Test func nothingIsReadBeforeTheSignatureIsVerified() throws {
        var parser = try parser()
        parser.signatures = SignaturePolicy(keys: [SigningKey(key: [1], salt: [2])])
        parser.allowedSources = try SourceAllowList(["http://b"])
        for path in [
            "wdth:1/plain/http://a/b", "plain/http://a/b", "fit/300/200/no/1/plain/a", "exp:1/plain/http://b/",
        ] {
            do {
                _ = try parser.parse(target: "/AAAA/" + path, now: Self.now)
                Issue.record("no error")
            } catch {
                #expect(error.kind == .signature)
            }
        }
    }

    @Test func theSourceIsMadeByTheRulesAndThenComparedWithTheAllowList() throws {
        var parser = try parser()
        parser.sourceRules = SourceRules(
            replacements: [URLReplacement(pattern: "x:", replacement: "y/")], baseURL: "http://a/")
        parser.allowedSources = try SourceAllowList(["http://a/y"])
        #expect(try parser.parse(target: "/s/plain/x:b.jpg", now: Self.now).source.text == "http://a/y/b.jpg")
        do {
            _ = try parser.parse(target: "/s/plain/z/b.jpg", now: Self.now)
            Issue.record("no error")
        } catch {
            #expect(error.kind == .source && error.status == 403 && !error.detail.contains("b.jpg"))
        }
    }

    @Test func aBuiltURLIsReadBack() throws {
        let key = SigningKey(key: Array("k".utf8), salt: Array("s".utf8))
        let sources = [
            "http://example.com/images/curiosity.jpg", "https://a.com/b?c=d&e=f%20g", "http://a/@x%40/(1)'!*é.jpg",
            "local:///a b/c%25.jpg",
            "http://a/plain/http://b/%3A:/",
        ]
        for source in sources {
            for encoding in [
                ImageURLBuilder.SourceEncoding.plain, .base64(segmentLength: 0), .base64(segmentLength: 16),
            ] {
                for size in [1, 8, 32] {
                    var parser = try parser()
                    parser.signatures = SignaturePolicy(keys: [key], size: size)
                    let builder = ImageURLBuilder(
                        options: ["rs:fill:10:20"], source: source, fileExtension: "png", encoding: encoding)
                    let image = try parser.parse(target: builder.signedPath(key: key, size: size), now: Self.now)
                    #expect(image.source == (try SourceURL(source)), "\(builder.path)")
                    #expect(image.options.canonical == "rt:fill/w:10/h:20/f:png" && image.acceptance == .key(0))
                    let repaired = PathRepair.repaired(String(builder.path.replacing("://", with: ":/")))
                    if encoding == .plain, source.hasPrefix("http://example") {
                        #expect("/" + repaired == builder.path)
                    }
                }
            }
        }
        #expect(ImageURLBuilder(source: "http://a/b").signedPath(key: nil) == "/unsafe/plain/http://a/b")
    }

    @Test func theBuilderWritesTheDocumentedForms() {
        let source = "http://example.com/images/curiosity.jpg"
        let plain = ImageURLBuilder(options: ["pr:sharp"], source: source, fileExtension: "png")
        #expect(plain.path == "/pr:sharp/plain/http://example.com/images/curiosity.jpg@png")
        let split = ImageURLBuilder(
            options: ["rs:fill:300:400:0", "g:sm"], source: source, fileExtension: "png",
            encoding: .base64(segmentLength: 16))
        #expect(split.path == "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png")
    }

    @Test func anExplanationNamesEveryPart() throws {
        var parser = try parser { $0.presets = ["sharp=sharpen:0.7"] }
        parser.signatures = SignaturePolicy(keys: [SigningKey(key: [1], salt: [2]), SigningKey(key: [3], salt: [4])])
        let path = "/pr:sharp/w:300/el:maybe/exp:1800000060/plain/http://a.com/b.jpg@webp"
        let target = "http://server" + "/" + parser.signatures.keys[1].sign(path: path) + path
        #expect(
            parser.explanation(of: target, now: Self.now) == [
                "signed text: \(path)", "signature: valid, by key 2 of 2", "preset: sharp",
                "warning: el: \"maybe\" is neither true nor false, and counts as false", "option: width = 300",
                "option: sharpen = 0.7", "option: format = webp", "format: webp", "expires: in 60 seconds",
                "source: http://a.com/b.jpg", "key: w:300/sh:0.7/f:webp",
            ])
        let wrong = parser.explanation(of: "/AAAA/w:x/plain/http://a/b", now: Self.now)
        #expect(wrong.contains("error 400: w: expected an integer from 0 to 1000000, got \"x\""))
        #expect(wrong.contains { $0.hasPrefix("error 403: the signature is not that of") })
        #expect(parser.explanation(of: "/", now: Self.now).count == 1)
    }

    @Test func everyKindOfErrorHasItsStatus() {
        let statuses = Dictionary(
            uniqueKeysWithValues: ImageURLError.Kind.allCases.map { ($0, ImageURLError($0, "").status) })
        #expect(statuses[.path] == 400 && statuses[.unknownOption] == 400 && statuses[.argument] == 400)
        #expect(statuses[.expired] == 410 && statuses[.signature] == 403 && statuses[.source] == 403)
    }
}
