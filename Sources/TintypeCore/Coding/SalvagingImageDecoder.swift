public import Foundation

/// A decoder that shows the part of a damaged picture that can be shown, as ``DecodeOptions/allowsPartial`` asks.
public protocol SalvagingImageDecoder: ImageDecoder {
    /// What there is of a picture that ``decode(_:context:)`` has found to be damaged or cut short. Pixels that are not there are
    /// transparent.
    ///
    /// - Returns: the part and size that are asked for; of an animation, with the frames that are whole. `nil` when
    ///   nothing can be shown.
    /// - Throws: as ``ImageDecoder/decode(_:context:)``.
    func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image?
}

extension ImageDecoder {
    /// Decodes a picture, or what can be shown of it where that is allowed.
    func decodeAllowed(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        do throws(TintypeError) {
            return try decodePart(bytes, context: context)
        } catch {
            guard error.code == .undecodable, context.options.allowsPartial else { throw error }
            guard let salvaged = try (self as? any SalvagingImageDecoder)?.salvaged(bytes, context) else {
                throw error.withoutPart
            }
            return salvaged.partial
        }
    }
}

extension SalvagingImageDecoder {
    /// `nil` also where the damage is such that nothing can be read.
    fileprivate func salvaged(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        do throws(TintypeError) {
            return try salvage(bytes, context: context)
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}

extension TintypeError {
    /// The same, where a part would have been enough.
    fileprivate var withoutPart: TintypeError {
        TintypeError(
            code, stage: stage, "\(message); nothing of it can be shown", subject: subject, underlying: underlying)
    }
}
