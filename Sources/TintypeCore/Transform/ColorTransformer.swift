import CTintypeKernels
import Foundation

/// Changes colours with a matrix: brightness, contrast, saturation, grey, sepia, invert or your own.
public struct ColorTransformer: PixelwiseTransformer {
    /// The matrix that every pixel is multiplied by.
    package var matrix: ColorMatrix

    /// Creates a transformer that applies `matrix`.
    public init(_ matrix: ColorMatrix) {
        self.matrix = matrix
    }

    /// Creates a transformer that adjusts brightness, then contrast, then saturation.
    ///
    /// - Parameters:
    ///   - brightness: -1 to 1; 0 changes nothing. See ``ColorMatrix/brightness(_:)``.
    ///   - contrast: 0 and above; 1 changes nothing. See ``ColorMatrix/contrast(_:)``.
    ///   - saturation: 0 and above; 1 changes nothing. See ``ColorMatrix/saturation(_:)``.
    package init(brightness: Float = 0, contrast: Float = 1, saturation: Float = 1) {
        matrix = .brightness(brightness).then(.contrast(contrast)).then(.saturation(saturation))
    }

    /// The kind of the transformer and the twenty weights.
    package var name: String {
        "color(\(matrix.weights.map { String($0 == 0 ? 0 : $0) }.joined(separator: ",")))"
    }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        guard matrix.weights.allSatisfy(\.isFinite) else {
            throw .transformFailed("all weights of the colour matrix must be finite numbers")
        }
        guard matrix != .identity else { return nil }
        let weights = matrix.weights
        return PixelOperation { strip in
            tintype_kernels_current().pointee.color_matrix(
                strip.pixels, strip.stride, strip.size.width, strip.size.height, weights)
        }
    }
}

/// A 4 × 5 colour matrix. Each non-premultiplied channel, 0 to 1, becomes a weighted sum of red, green, blue, alpha and
/// 1.
public struct ColorMatrix: Hashable, Sendable {
    /// The weights in row-major order: five for each of red, green, blue and alpha.
    package let weights: [Float]

    /// Creates a matrix with twenty weights in row-major order, or `nil` unless there are exactly twenty finite
    /// numbers.
    public init?(_ weights: [Float]) {
        guard weights.count == 20, weights.allSatisfy(\.isFinite) else { return nil }
        self.weights = weights
    }

    private init(rows: [[Float]]) {
        weights = rows.flatMap(\.self)
    }

    /// The matrix that changes nothing.
    package static let identity = ColorMatrix.diagonal(1)

    /// Returns the matrix that applies this one, then `next`.
    ///
    /// Values are not clamped between the two: a value that the first moves out of 0...1 is restored if the second
    /// moves it back.
    public func then(_ next: ColorMatrix) -> ColorMatrix {
        ColorMatrix(
            rows: (0..<4).map { row in
                (0..<5).map { column in
                    let sum = (0..<4).reduce(Float(0)) { sum, index in
                        sum + next.weights[5 * row + index] * weights[5 * index + column]
                    }
                    return column == 4 ? sum + next.weights[5 * row + 4] : sum
                }
            })
    }
}

// MARK: - Common matrices

extension ColorMatrix {
    /// Returns a matrix that adds `amount` to every colour channel: 0 changes nothing, 1 yields white, -1 black.
    public static func brightness(_ amount: Float) -> ColorMatrix { diagonal(1, plus: amount) }

    /// Returns a matrix that scales the distance of every colour from middle grey: 1 changes nothing, 0 yields grey.
    public static func contrast(_ amount: Float) -> ColorMatrix { diagonal(amount, plus: 0.5 - amount / 2) }

    /// Returns a matrix that scales the distance of every colour from its grey: 1 changes nothing, 0 yields grey.
    ///
    /// Defined by CSS Filter Effects Level 1, `saturate`.
    public static func saturation(_ amount: Float) -> ColorMatrix {
        let grey: [Float] = [0.213, 0.715, 0.072]
        return ColorMatrix(
            rows: (0..<3).map { row in
                (0..<3).map { column in grey[column] * (1 - amount) + (row == column ? amount : 0) } + [0, 0]
            } + [[0, 0, 0, 1, 0]])
    }

    /// Removes all colour: a ``saturation(_:)`` of 0.
    public static let grey = ColorMatrix.saturation(0)

    /// The brown of old prints, as defined by CSS Filter Effects Level 1, `sepia`.
    public static let sepia = ColorMatrix(rows: [
        [0.393, 0.769, 0.189, 0, 0], [0.349, 0.686, 0.168, 0, 0], [0.272, 0.534, 0.131, 0, 0], [0, 0, 0, 1, 0],
    ])

    /// The negative.
    public static let inverted = diagonal(-1, plus: 1)

    private static func diagonal(_ scale: Float, plus: Float = 0) -> ColorMatrix {
        ColorMatrix(rows: [[scale, 0, 0, 0, plus], [0, scale, 0, 0, plus], [0, 0, scale, 0, plus], [0, 0, 0, 1, 0]])
    }
}
