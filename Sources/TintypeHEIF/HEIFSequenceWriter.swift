import Foundation
import TintypeCore

/// Writes an image sequence whose images libheif has encoded one by one (ISO/IEC 23008-12, 7).
///
/// The file is also a still image with all that libheif wrote for the first one, such as metadata and a thumbnail, for
/// programs that do not show sequences. Both share the coded bytes.
struct HEIFSequenceWriter {
    private let size: PixelSize
    private let options: EncodeOptions
    private let maxBytes: Int
    /// The first image, and the boxes of its file.
    private var first: (still: HEIFCodedStill, boxes: HEIFStillBoxes)?
    /// The media data: those of the first file, then the samples of the others.
    private var media = Data()
    private var colorSamples: [(offset: Int, count: Int)] = []
    private var alphaSamples: [(offset: Int, count: Int)] = []
    private var ticks: [Int] = []

    /// A sample entry stores sizes in 16 bits.
    private static let maxSide = Int(UInt16.max)

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - size: The size of each image in pixels.
    ///   - options: The options with which the images are encoded.
    ///   - maxBytes: The number of bytes that the file may have; offsets in it have 32 bits.
    /// - Throws: `TintypeError.Code.encodeFailed` if the images are too large.
    init(size: PixelSize, _ options: EncodeOptions, maxBytes: Int = Int(UInt32.max)) throws(TintypeError) {
        guard max(size.width, size.height) < Self.maxSide else {
            throw TintypeError(
                .encodeFailed, stage: .encode, "a HEIC sequence has at most \(Self.maxSide - 1) pixels a side")
        }
        (self.size, self.options, self.maxBytes) = (size, options, maxBytes)
    }

    /// Appends an image.
    ///
    /// - Parameters:
    ///   - file: A still HEIC that libheif has written.
    ///   - ticks: Its duration; see ``HEIFMovie/ticksPerSecond``.
    /// - Throws: `TintypeError.Code.encodeFailed` if the image is coded with other parameters than the first one, or
    ///   the file would become too large.
    mutating func add(_ file: Data, ticks: Int) throws(TintypeError) {
        let still = try HEIFCodedStill(file)
        if let first {
            guard still.color.parameters == first.still.color.parameters,
                still.alpha?.parameters == first.still.alpha?.parameters
            else {
                throw TintypeError(
                    .encodeFailed, stage: .encode,
                    "cannot encode a HEIC sequence: libheif codes image \(self.ticks.count) with other parameters")
            }
            colorSamples.append(try append(file[still.color.sample]))
            if let alpha = still.alpha { alphaSamples.append(try append(file[alpha.sample])) }
        } else {
            try begin(file, still)
        }
        self.ticks.append(ticks)
    }

    /// Takes over the media data of the first file, in which its samples lie.
    private mutating func begin(_ file: Data, _ still: HEIFCodedStill) throws(TintypeError) {
        let boxes = try HEIFStillBoxes(file)
        let body = boxes.media
        try checkSize(body.count)
        func location(of coded: HEIFCodedStill.Coded) throws(TintypeError) -> (offset: Int, count: Int) {
            guard body.lowerBound <= coded.sample.lowerBound, coded.sample.upperBound <= body.upperBound else {
                throw .unexpectedStill("the coded bytes are not in the media data")
            }
            return (coded.sample.lowerBound - body.lowerBound, coded.sample.count)
        }
        colorSamples = [try location(of: still.color)]
        if let alpha = still.alpha { alphaSamples = [try location(of: alpha)] }
        first = (still, boxes)
        media = file.subdata(in: body)
    }

    /// Appends a sample to the media data; returns its offset and size there.
    private mutating func append(_ sample: Data) throws(TintypeError) -> (offset: Int, count: Int) {
        try checkSize(media.count + sample.count)
        defer { media += sample }
        return (media.count, sample.count)
    }

    /// Checks the size of the file, or what is known of it.
    private func checkSize(_ count: Int) throws(TintypeError) {
        guard count <= maxBytes else {
            throw TintypeError(.encodeFailed, stage: .encode, "the HEIC sequence exceeds \(maxBytes) bytes")
        }
    }

    // MARK: File

    /// Returns the file.
    ///
    /// - Parameter plays: The number of plays; 0 is forever.
    /// - Throws: `TintypeError.Code.encodeFailed` if there is no image, or the file would be too large.
    func file(plays: Int) throws(TintypeError) -> Data {
        guard let first else {
            throw TintypeError(.encodeFailed, stage: .encode, "a HEIC sequence has at least one image")
        }
        let (boxes, movie) = (first.boxes, try movie(first.still, plays: plays))
        let type = boxes.sequenceType
        // Offsets always have four bytes, so the movie box has the same size for any offset.
        let mediaOffset = type.count + boxes.meta.count + movie.box(mediaOffset: 0).count + 8
        try checkSize(mediaOffset + media.count)
        let meta = try boxes.movedMeta(by: mediaOffset - boxes.media.lowerBound)
        var file = Data(capacity: mediaOffset + media.count)
        file += type
        file += meta
        file += movie.box(mediaOffset: mediaOffset)
        file += Data.numbers(8 + media.count) + Data("mdat".utf8)
        file += media
        return file
    }

    private func movie(_ still: HEIFCodedStill, plays: Int) throws(TintypeError) -> HEIFMovie {
        let (color, alpha) = (still.color.parameters, still.alpha?.parameters)
        // Decoders crop to whole samples of chroma, which cover up to two pixels in each direction.
        let decoded = PixelSize(
            width: min((size.width + 1) / 2 * 2, color.size.width),
            height: min((size.height + 1) / 2 * 2, color.size.height))
        guard decoded.width >= size.width, decoded.height >= size.height else {
            throw .unexpectedStill("only \(color.size) of \(size) pixels are coded")
        }
        guard alpha.map({ $0.size == color.size }) ?? true else {
            throw .unexpectedStill("alpha is coded with another size")
        }
        return HEIFMovie(
            size: size, decodedSize: decoded, color: try track(color, croppedTo: decoded, colorSamples),
            alpha: try alpha.map { alpha throws(TintypeError) in
                try track(alpha, croppedTo: decoded, alphaSamples)
            }, ticks: ticks, plays: plays, primaries: options.written.colorSpace == .displayP3 ? 12 : 1,
            profile: options.written.profile)
    }

    private func track(
        _ parameters: HEIFCodedStill.Parameters, croppedTo size: PixelSize, _ samples: [(offset: Int, count: Int)]
    ) throws(TintypeError) -> HEIFMovie.Track {
        let configuration = try HEVCTrackConfiguration(parameters, croppedTo: size)
        return HEIFMovie.Track(configuration: configuration.data, samples: samples)
    }
}
