/// A box of an ISO base media file (ISO/IEC 14496-12, 4.2), by its places in the file.
package struct ISOBox {
    /// Its four letters.
    package let kind: String
    /// What follows its head.
    package let body: Range<Int>

    /// The body of a full box, after its version and flags (4.2.2).
    package var fullBody: Range<Int> { min(body.lowerBound + 4, body.upperBound)..<body.upperBound }
}
