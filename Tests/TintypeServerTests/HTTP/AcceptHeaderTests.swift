import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct AcceptHeaderTests {
    private static let all: [NegotiableFormat] = [.jxl, .avif, .webp]

    private static func still(_ accept: String, _ formats: [NegotiableFormat] = all) -> NegotiableFormat? {
        AcceptHeader(["Accept": accept]).reduced(to: formats).still
    }

    /// The values that browsers send for images, as MDN lists them.
    @Test(
        arguments: [
            ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", NegotiableFormat.avif),
            ("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", .avif),
            ("image/webp,image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5", .webp),
            ("image/avif,image/jxl,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", .jxl),
            ("image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5", nil),
            ("*/*", nil),
        ] as [(String, NegotiableFormat?)])
    func browsersGetTheFormatTheyName(_ accept: String, _ format: NegotiableFormat?) {
        #expect(Self.still(accept) == format)
    }

    @Test(arguments: ["image/*", "*/*", "image/*;q=1, */*", "text/html", "", "image/avi", "image/avif2", "avif"])
    func aWildcardNamesNoFormat(_ accept: String) {
        #expect(Self.still(accept) == nil)
    }

    @Test(
        arguments: [
            ("image/avif;q=0, image/webp", NegotiableFormat.webp), ("image/avif;q=0.5, image/webp;q=0.6", .webp),
            ("image/avif;q=0.6, image/webp;q=0.6", .avif), ("IMAGE/AVIF ; Q=0.1", .avif), ("image/avif;q=0", nil),
            ("image/avif;q=0.000", nil), ("image/avif;q=1.000", .avif), ("image/webp;q=0.5, image/jpeg", nil),
            ("image/webp;q=0.5, */*;q=0.4", .webp), ("image/webp;q=0.5, image/*;q=0.6", nil),
            ("image/webp;level=\"1,2\";q=0.3", .webp), ("image/webp, image/webp;q=0", .webp),
        ] as [(String, NegotiableFormat?)])
    func theQualityDecides(_ accept: String, _ format: NegotiableFormat?) {
        #expect(Self.still(accept) == format)
    }

    /// RFC 9110, 12.4.2: `qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )`.
    @Test(
        arguments: [
            ("0", 0), ("0.", 0), ("0.5", 500), ("0.05", 50), ("0.001", 1), ("1", 1000), ("1.", 1000), ("1.000", 1000),
            ("1.001", nil), ("0.0001", nil), ("2", nil), ("-1", nil), (".5", nil), ("", nil), ("0,5", nil),
            ("0.5a", nil),
            ("1e0", nil),
        ] as [(String, Int?)])
    func aQualityHasTheFormOfTheSpecification(_ text: String, _ value: Int?) {
        #expect(AcceptHeader.thousandths(text) == value)
    }

    @Test func onlyFormatsThatAreOnAreChosen() {
        #expect(Self.still("image/avif, image/webp", [.webp]) == .webp)
        #expect(Self.still("image/avif, image/webp", []) == nil)
    }

    @Test func animationsGetAFormatThatHoldsThem() {
        let both = AcceptHeader(["Accept": "image/avif, image/webp"]).reduced(to: Self.all)
        #expect(both.format(isAnimated: false) == .avif && both.format(isAnimated: true) == .webp)
        let one = AcceptHeader(["Accept": "image/avif"]).reduced(to: Self.all)
        #expect(one.format(isAnimated: true) == nil)
    }

    @Test func anyNumberOfAcceptFieldsHasFewClasses() {
        var classes: Set<AcceptClass> = []
        for mask in 0..<8 {
            for quality in ["", ";q=0", ";q=0.3"] {
                let accept = Self.all.enumerated().map { index, format in
                    format.mediaType + (mask >> index & 1 == 1 ? quality : "")
                }
                classes.insert(AcceptHeader(["Accept": accept.joined(separator: ",")]).reduced(to: Self.all))
            }
        }
        #expect(classes.count <= 6)
    }

    @Test func aFieldThatIsTooLongCountsAsAbsent() {
        let padding = String(repeating: "a/b,", count: 2000)
        #expect(Self.still(padding + "image/avif") == nil)
    }
}
