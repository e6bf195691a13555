import Foundation
import Testing

@testable import TintypeS3

@Suite struct ErrorDocumentTests {
    private func document(_ text: String) -> ErrorDocument { ErrorDocument(Data(text.utf8)) }

    /// Amazon S3 API Reference, "REST error responses".
    @Test func theExampleOfAWSIsRead() {
        let read = document(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error>
              <Code>NoSuchKey</Code>
              <Message>The resource you requested does not exist</Message>
              <Resource>/mybucket/myfoto.jpg</Resource>
              <RequestId>4442587FB7D0A2F9</RequestId>
            </Error>
            """)
        #expect(read.code == "NoSuchKey" && read.requestID == "4442587FB7D0A2F9")
        #expect(read.message == "The resource you requested does not exist")
    }

    @Test(arguments: [
        "", "<", "<Error>", "<Error><Code>", "<Error><Code>NoSuchKey", "<Error><Code>NoSuchKey<",
        "<Error><Code></Code></Error>",
        "<Error><Code>No Such Key</Code></Error>", "<Error><Code>a\u{1B}[31m</Code></Error>",
        "<Error><Code><Code>a</Code></Code></Error>", "<html><Code>a</Code></html>",
        "<Error><Code>\(String(repeating: "a", count: 65))</Code></Error>", "<Error><code>a</code></Error>",
    ])
    func whatIsNotACodeIsNoCode(text: String) {
        #expect(document(text).code == nil)
    }

    @Test func entitiesStayAsTheyAre() {
        let read = document(
            """
            <!DOCTYPE Error [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b "&a;&a;">]>
            <Error><Code>a&b;</Code><Message>&a; &lt;Code&gt; &#39;</Message><RequestId>&b;</RequestId></Error>
            """)
        #expect(read.code == nil && read.message == "&a; &lt;Code&gt; &#39;" && read.requestID == "&b;")
    }

    @Test func onlyTheBeginningIsRead() {
        let space = String(repeating: " ", count: ErrorDocument.maximumByteCount)
        #expect(document("<Error>\(space)<Code>a</Code></Error>").code == nil)
        #expect(document("<Error><Code>a</Code>\(space)").code == "a")
    }

    @Test func bytesThatAreNotTextAreReplaced() {
        var data = Data("<Error><Code>a</Code><Message>".utf8)
        data += [0xFF, 0xFE, 0x00]
        data += Data("</Message></Error>".utf8)
        #expect(ErrorDocument(data).code == "a" && ErrorDocument(data).message?.contains("\u{FFFD}") == true)
    }

    @Test func aLongMessageIsCutOff() {
        let long = String(repeating: "m", count: 5000)
        let message = document("<Error><Code>a</Code><Message>\(long)</Message></Error>").message ?? ""
        #expect(message.count <= 210 && message.hasPrefix("mmm"))
    }

    @Test func anyPrefixOfADocumentCanBeRead() {
        let whole = Data("<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><RequestId>1</RequestId></Error>".utf8)
        for count in 0...whole.count { _ = ErrorDocument(whole.prefix(count)) }
        // A slice whose indices do not begin at 0.
        #expect(ErrorDocument(whole.dropFirst(21)).code == "SlowDown")
    }
}
