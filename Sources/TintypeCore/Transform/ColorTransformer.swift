import CTintypeKernels
import Foundation

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

/// Makes each straight channel, from 0 to 1, a weighted sum of red, green, blue, alpha and 1.
public struct ColorMatrix: Hashable, Sendable {
    /// Five weights for each of red, green, blue and alpha, in this order.
    public let weights: [Float]

    /// `nil` unless there are twenty finite numbers.
    public init?(_ weights: [Float]) {
        guard weights.count == 20, weights.allSatisfy(\.isFinite) else { return nil }
        self.weights = weights
    }

    private init(rows: [[Float]]) {
        weights = rows.flatMap(\.self)
    }

    public static let identity = ColorMatrix.diagonal(1)

    /// This one, then `next`.
    ///
    /// What the first pushes beyond 0 or 1 comes back if the next brings it back, unlike in two steps.
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

// MARK: - What they are made for

extension ColorMatrix {
    /// Adds to every colour channel: 0 changes nothing, 1 makes all white, -1 all black.
    public static func brightness(_ amount: Float) -> ColorMatrix { diagonal(1, plus: amount) }

    /// Moves every colour away from middle grey: 1 changes nothing, 0 makes all grey.
    public static func contrast(_ amount: Float) -> ColorMatrix { diagonal(amount, plus: 0.5 - amount / 2) }

    /// Moves every colour away from its grey: 1 changes nothing, 0 takes all colour away. (Filter Effects Level 1,
    /// `saturate`.)
    public static func saturation(_ amount: Float) -> ColorMatrix {
        let grey: [Float] = [0.213, 0.715, 0.072]
        return ColorMatrix(
            rows: (0..<3).map { row in
                (0..<3).map { column in grey[column] * (1 - amount) + (row == column ? amount : 0) } + [0, 0]
            } + [[0, 0, 0, 1, 0]])
    }

    public static let grey = ColorMatrix.saturation(0)

    /// The brown of old prints. (Filter Effects Level 1, `sepia`.)
    public static let sepia = ColorMatrix(rows: [
        [0.393, 0.769, 0.189, 0, 0], [0.349, 0.686, 0.168, 0, 0], [0.272, 0.534, 0.131, 0, 0], [0, 0, 0, 1, 0],
    ])

    /// The negative.
    public static let inverted = diagonal(-1, plus: 1)

    private static func diagonal(_ scale: Float, plus: Float = 0) -> ColorMatrix {
        ColorMatrix(rows: [[scale, 0, 0, 0, plus], [0, scale, 0, 0, plus], [0, 0, scale, 0, plus], [0, 0, 0, 1, 0]])
    }
}
