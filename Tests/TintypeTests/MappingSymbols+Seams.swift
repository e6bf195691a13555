import Foundation
import Tintype

extension MappingSymbols {
    /// The places where programs add parts of their own, and what they learn there.
    static var seams: [String: Any] {
        [
            "HTTPResponseInfo": HTTPResponseInfo.self, "ImageResponse.http": \ImageResponse.http,
            "TintypeError.contentType": \TintypeError.contentType,
            "ImageLoader.isLasting(_:of:)": { (loader: any ImageLoader, error: TintypeError, source: ImageSource) in
                loader.isLasting(error, of: source)
            },
            "LoadedBytes.init(decoded:origin:data:)": LoadedBytes.init(decoded:origin:data:),
            "ImageSource.custom": ImageSource.custom, "ImageModel.mapper(_:)": { SomeModel.mapper { _ in nil } },
            "TransformerChain.letterbox(_:color:isEnlarging:)": TransformerChain.letterbox(_:color:isEnlarging:),
            "LoadPolicy.Preparation.allFrames": LoadPolicy.Preparation.allFrames,
            "DownloaderConfiguration.credentials": \DownloaderConfiguration.credentials,
            "DigestAuthenticator": DigestAuthenticator.self,
            "DiskCache.adopt(_:)": DiskCache.adopt, "InheritedUse.adopt": InheritedUse.adopt,
            "ImageModel.loader(_:)": { SomeModel.loader { _, _ in LoadedBytes(data: Data(), origin: .custom) } },
        ]
    }
}

/// The type that the symbols of generic types need.
private struct SomeModel: ImageModel {
    var imageIdentity: String { "" }
}
