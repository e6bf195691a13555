import Foundation
import Tintype

extension MappingSymbols {
    /// The places where programs add parts of their own, and what they learn there.
    static var seams: [String: Any] {
        [
            "HTTPResponseInfo": HTTPResponseInfo.self, "ImageResponse.http": \ImageResponse.http,
            "TintypeError.contentType": \TintypeError.contentType,
        ]
    }
}
