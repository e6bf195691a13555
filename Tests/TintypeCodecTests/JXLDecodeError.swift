import Foundation
import TintypeCore
import TintypeJXL

extension JXLDecoder {
    /// Returns the error of decoding a file under changed limits; `nil` if it decodes.
    func error(decoding data: Data, _ change: (inout DecodeLimits) -> Void = { _ in }) -> TintypeError? {
        var context = DecodeContext()
        change(&context.limits)
        do throws(TintypeError) {
            _ = try decode(data, context: context)
            return nil
        } catch {
            return error
        }
    }
}
