import Foundation
import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct RenditionResponseTests {
    private static let bytes = Data((0..<100).map { UInt8($0) })
    private static let head = RenditionHead(
        contentType: "image/webp", byteCount: 100,
        validators: Validators(
            digest: [UInt8](repeating: 7, count: 32), lastModified: Date(timeIntervalSince1970: 783_459_811)),
        disposition: "inline; filename=\"a.webp\"", notes: ["Tintype-Frames": "1/250"])
    private static var tag: String { head.validators.tag.text }

    private static let everything = NegotiationSettings(formats: [.webp], usesClientHints: true, usesSaveData: true)

    private static func decide(
        _ method: String, _ request: HTTPFields, _ settings: NegotiationSettings = everything,
        crossOrigin: CrossOriginPolicy = .origins(["https://a.example"])
    ) -> RenditionResponse {
        RenditionResponse(
            head,
            RenditionResponse.Context(
                method: method, request: request,
                negotiation: Negotiation(request, hasFormat: false, settings: settings), cache: .seconds(60),
                crossOrigin: crossOrigin))
    }

    private static let requests: [HTTPFields] = [
        [:], ["Accept": "image/webp"], ["If-None-Match": tag], ["If-None-Match": "\"other\""], ["If-None-Match": "*"],
        ["If-Modified-Since": "Sat, 29 Oct 1994 19:43:31 GMT"], ["If-Modified-Since": "Sat, 29 Oct 1993 19:43:31 GMT"],
        ["If-Match": "\"other\""], ["If-Range": "\"other\"", "Range": "bytes=0-1"], ["Range": "bytes=0-1,5-6"],
        ["Range": "lines=0-1"], ["Origin": "https://a.example"], ["Origin": "https://b.example"], ["Save-Data": "on"],
        ["DPR": "2", "Width": "100"],
    ]

    @Test(arguments: requests) func headIsGetWithoutItsBody(_ request: HTTPFields) throws {
        let get = try #require(Self.decide("GET", request).response(Self.head) { Self.bytes })
        let head = try #require(Self.decide("HEAD", request).response(Self.head) { Self.bytes })
        #expect(head == get.withoutBody && head.body == nil)
    }

    /// RFC 9110, 14.2: range handling is defined for GET alone.
    @Test(arguments: ["bytes=0-1", "bytes=500-"]) func headIgnoresARange(_ range: String) {
        #expect(Self.decide("HEAD", ["Range": range]) == Self.decide("HEAD", [:]))
        #expect(Self.decide("GET", ["Range": range]).status != 200)
    }

    @Test func aWholeResponseHasItsFields() throws {
        let response = try #require(Self.decide("GET", [:]).response(Self.head) { Self.bytes })
        #expect(response.status == 200 && response.body == Self.bytes)
        #expect(
            response.fields == [
                "ETag": Self.tag, "Last-Modified": "Sat, 29 Oct 1994 19:43:31 GMT",
                "Cache-Control": "public, max-age=60",
                "Vary": "Accept, Sec-CH-DPR, DPR, Sec-CH-Width, Width, Save-Data, Origin",
                "Accept-CH": "Sec-CH-DPR, Sec-CH-Width", "Content-Type": "image/webp", "Content-Length": "100",
                "Accept-Ranges": "bytes", "Content-Disposition": "inline; filename=\"a.webp\"",
                "Tintype-Frames": "1/250",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
                "X-Content-Type-Options": "nosniff",
            ])
    }

    @Test func plainSettingsSendNoVary() {
        let response = Self.decide("GET", [:], NegotiationSettings(), crossOrigin: .none)
        #expect(response.fields["Vary"] == nil && response.fields["Accept-CH"] == nil)
    }

    @Test(
        arguments: [["If-None-Match": tag], ["Range": "bytes=500-"], ["If-Match": "\"a\""], ["Range": "bytes=0-1"]]
            as [HTTPFields])
    func everyStatusVaries(_ request: HTTPFields) {
        #expect(Self.decide("GET", request).fields["Vary"] == Self.decide("GET", [:]).fields["Vary"])
    }

    @Test func anUnmodifiedResponseReadsNoBytes() {
        let plan = Self.decide("GET", ["If-None-Match": Self.tag, "Range": "bytes=0-1"])
        #expect(plan.status == 304 && plan.range == nil && plan.fields["Content-Length"] == nil)
        #expect(plan.fields["ETag"] == Self.tag && plan.fields["Cache-Control"] == "public, max-age=60")
        let response = plan.response(Self.head) {
            Issue.record("read the bytes")
            return Data()
        }
        #expect(response?.body == nil)
    }

    @Test func aRangeIsAPartOfTheBytes() throws {
        let plan = Self.decide("GET", ["Range": "bytes=10-19", "If-Range": Self.tag])
        // A slice whose indices do not begin at zero.
        let slice = (Data([1, 2, 3]) + Self.bytes).dropFirst(3)
        let response = try #require(plan.response(Self.head) { slice })
        #expect(response.status == 206 && response.body.map { Array($0) } == Array(10...19))
        #expect(response.fields["Content-Range"] == "bytes 10-19/100" && response.fields["Content-Length"] == "10")
    }

    @Test func aRangeBeyondTheEndIsRefusedAndNotCached() {
        let plan = Self.decide("GET", ["Range": "bytes=100-"])
        #expect(plan.status == 416 && plan.range == nil && plan.fields["Content-Range"] == "bytes */100")
        #expect(plan.fields["Cache-Control"] == "no-store" && plan.fields["Content-Type"] == nil)
    }

    @Test func bytesOfAnotherRenditionAreNotSent() {
        #expect(Self.decide("GET", [:]).response(Self.head) { Data([1]) } == nil)
    }

    @Test(
        arguments: [
            (CrossOriginPolicy.none, nil, nil), (.any, "*", nil),
            (.origins(["https://a.example"]), "https://a.example", "Origin"),
            (.origins(["https://b.example"]), nil, "Origin"), (.origins([]), nil, "Origin"),
        ] as [(CrossOriginPolicy, String?, String?)])
    func onlyAllowedOriginsMayRead(_ policy: CrossOriginPolicy, _ allowed: String?, _ vary: String?) {
        let response = Self.decide(
            "GET", ["Origin": "https://a.example"], NegotiationSettings(), crossOrigin: policy)
        #expect(response.fields["Access-Control-Allow-Origin"] == allowed && response.fields["Vary"] == vary)
    }

    @Test func otherMethodsAreAnsweredAtOnce() {
        #expect(ServerResponse.answer(method: "GET", [:], policy: .any) == nil)
        #expect(ServerResponse.answer(method: "HEAD", [:], policy: .any) == nil)
        let options = ServerResponse.answer(method: "OPTIONS", ["Origin": "https://a.example"], policy: .any)
        #expect(options?.status == 204 && options?.fields["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
        let post = ServerResponse.answer(method: "POST", [:], policy: .any)
        #expect(post?.status == 405 && post?.fields["Allow"] == "GET, HEAD, OPTIONS")
    }
}
