import CLibLCMS
package import TintypeCore

/// Converts L*a*b* colours to sRGB with lcms2: L* = 100 is white, whatever the white of the file was measured under.
///
/// One thread at a time may use a converter.
package final class LabConverter {
    private let transform: cmsHTRANSFORM

    /// Creates a converter.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package init() throws(TintypeError) {
        let lab = cmsCreateLab4Profile(nil)
        defer { if let lab { cmsCloseProfile(lab) } }
        guard let lab, let standard = ColorProfile.standard,
            let transform = cmsCreateTransform(
                lab, tintype_lcms_lab_of_rgba_16, standard.handle, tintype_lcms_rgba_16,
                cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), UInt32(cmsFLAGS_NOOPTIMIZE))
        else { throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to convert colours") }
        self.transform = transform
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    /// Converts pixels in place, from L*, a*, b* and alpha in the 16 bits of ICC.1:2022, table 12, to straight RGBA.
    package func convert(_ words: UnsafeMutableBufferPointer<UInt16>) {
        guard let base = words.baseAddress else { return }
        cmsDoTransform(transform, base, base, UInt32(clamping: words.count / 4))
    }
}
