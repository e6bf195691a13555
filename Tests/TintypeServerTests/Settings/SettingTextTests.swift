import Testing

@testable import TintypeServer

@Suite struct SettingTextTests {
    @Test(
        arguments: [
            ("0", 0), ("64M", 64 << 20), ("1G", 1 << 30), ("2K", 2048), ("67108864", 64 << 20), ("", nil), ("M", nil),
            ("1MB", nil), ("-1", nil), ("1.5M", nil), ("9223372036854775807", .max), ("9223372036854775808", nil),
            ("9999999999T", nil), ("8388607T", 8_388_607 << 40),
        ] as [(String, Int?)])
    func bytesHaveUnits(_ text: String, _ value: Int?) {
        #expect(SettingText.bytes(text) == value)
    }

    @Test(arguments: [0, 1, 1023, 1024, 64 << 20, (64 << 20) + 1, 1 << 40, .max])
    func bytesAreReadBack(_ count: Int) {
        #expect(SettingText.bytes(SettingText.bytesText(count)) == count)
    }

    @Test(
        arguments: [
            ("1", 1), ("0.25", 0.25), ("10.0", 10), (".5", nil), ("1.", nil), ("1.2.3", nil), ("1e3", nil), ("-1", nil),
            ("nan", nil), ("", nil), (" 1", nil),
        ] as [(String, Double?)])
    func decimalsArePlain(_ text: String, _ value: Double?) {
        #expect(SettingText.decimal(text) == value)
    }

    @Test(
        arguments: [
            ("736563726574", [Array("secret".utf8)]), ("0a, 0B", [[10], [11]]), ("0", nil), ("", nil), (",", nil),
            ("0g", nil), ("0a,xy", nil),
        ] as [(String, [[UInt8]]?)])
    func keysAreHexadecimal(_ text: String, _ value: [[UInt8]]?) {
        #expect(SettingText.hexadecimalList(text) == value)
    }

    @Test(
        arguments: [
            (":8080", .tcp(host: nil, port: 8080)), ("localhost:1", .tcp(host: "localhost", port: 1)),
            ("[::1]:65535", .tcp(host: "::1", port: 65_535)), ("unix:/run/a", .unix(path: "/run/a")), ("8080", nil),
            (":0", nil), (":65536", nil), ("::1:80", nil), ("[]:80", nil), ("[a]:80", nil), ("a b:80", nil),
            ("a/b:80", nil),
            ("unix:run", nil), (":", nil), ("", nil), (":+80", nil),
            ("unix:/" + String(repeating: "a", count: 107), nil),
        ] as [(String, BindAddress?)])
    func anAddressIsParsedOrRefused(_ text: String, _ address: BindAddress?) {
        #expect(BindAddress(text) == address)
        if let address { #expect(address.description == text) }
    }
}
