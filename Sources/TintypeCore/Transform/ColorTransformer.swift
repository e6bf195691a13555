import CTintypeKernels

/// Changes colours by a matrix: brightness, contrast, saturation, grey, sepia, invert, or one's own.
public struct ColorTransformer: PixelwiseTransformer {
    public var matrix: ColorMatrix

    public init(_ matrix: ColorMatrix) {
        self.matrix = matrix
    }

    /// Brightness, then contrast, then saturation; each has a value that changes nothing.
    public init(brightness: Float = 0, contrast: Float = 1, saturation: Float = 1) {
        matrix = .brightness(brightness).then(.contrast(contrast)).then(.saturation(saturation))
    }

    public var identifier: String {
        "color(\(matrix.weights.map { String($0 == 0 ? 0 : $0) }.joined(separator: ",")))"
    }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        guard matrix.weights.allSatisfy(\.isFinite) else {
            throw .transformFailed("a weight of the matrix is not a number to work with")
        }
        guard matrix != .identity else { return nil }
        let weights = matrix.weights
        return PixelOperation { strip in
            tintype_kernels_current().pointee.color_matrix(
                strip.pixels, strip.stride, strip.size.width, strip.size.height, weights)
        }
    }
}
