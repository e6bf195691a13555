import Foundation
package import TintypeCore

/// The commands of the kitty graphics protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
///
/// Every command silences success (`q=1`): the terminal answers only failures. To find out whether the terminal keeps
/// up, send ``ControlSequence/requestStatus``, which works with all protocols.
package enum KittyCommand {
    /// How the pixels reach the terminal.
    package enum Medium: Hashable, Sendable {
        /// In the command itself.
        case inline
        /// In a shared memory object that the terminal removes; the name starts with a slash.
        case sharedMemory(name: String)
        /// In a file that the terminal removes. Its path must contain `tty-graphics-protocol`.
        case temporaryFile(path: String)
    }

    /// The route of a command to the terminal.
    package enum Route: Hashable, Sendable {
        /// The terminal reads what is written.
        case direct
        /// tmux passes the content of certain strings on to its terminal. tmux would treat answers as keys, so all are
        /// silenced.
        case tmux

        fileprivate var quietness: String { self == .direct ? "q=1" : "q=2" }
        fileprivate var introducer: String { self == .direct ? "\u{1B}_G" : "\u{1B}Ptmux;\u{1B}\u{1B}_G" }
        fileprivate var terminator: String {
            // Escapes within the string are doubled.
            self == .direct ? ControlSequence.stringTerminator : "\u{1B}\u{1B}\\" + ControlSequence.stringTerminator
        }
    }

    /// An image on the screen.
    package struct Placement: Hashable, Sendable {
        /// The number of the image. A new image with the number of a former one replaces it.
        package var image: UInt32
        /// The cells into which the image is scaled; `nil` shows its pixels as they are.
        package var span: CellSpan?
        /// Whether placeholder characters show the image, wherever they are written, instead of the command itself.
        package var isVirtual: Bool

        /// Creates a placement.
        package init(image: UInt32, span: CellSpan? = nil, isVirtual: Bool = false) {
            self.image = image
            self.span = span
            self.isVirtual = isVirtual
        }

        /// Other placements of the image stay. The cursor does not move.
        fileprivate var keys: String {
            "i=\(image)," + (isVirtual ? "U=1" : "p=1,C=1") + (span.map { ",c=\($0.columns),r=\($0.rows)" } ?? "")
        }
    }

    /// Returns the command that sends an image and shows it at the cursor.
    package static func show(
        _ pixels: KittyPixels, _ placement: Placement, by medium: Medium = .inline, through route: Route = .direct
    ) -> [UInt8] {
        command("a=T,\(placement.keys),\(keys(of: pixels, medium))", payload(of: pixels, medium), route)
    }

    /// Returns the command that shows an image that was sent before, at the cursor.
    package static func place(_ placement: Placement) -> [UInt8] {
        command("a=p,\(placement.keys)", [], .direct)
    }

    /// Returns the command that removes an image from the screen and from memory.
    package static func delete(image: UInt32, through route: Route = .direct) -> [UInt8] {
        command("a=d,d=I,i=\(image)", [], route)
    }

    /// Returns the command that asks whether the terminal understands the protocol and a medium, without showing
    /// anything.
    ///
    /// The terminal answers with the number, and with `OK` if it does.
    package static func query(number: UInt32, _ pixels: KittyPixels, by medium: Medium = .inline) -> [UInt8] {
        chunks("a=q,i=\(number),\(keys(of: pixels, medium))", payload(of: pixels, medium))
    }

    // MARK: Animation

    /// Returns the command that adds a frame to an image.
    ///
    /// - Parameters:
    ///   - pixels: The pixels that change. They replace those of the base frame.
    ///   - rect: The part of the image that changes.
    ///   - base: The frame that shows through elsewhere, from 1.
    ///   - gap: The time in milliseconds until the next frame.
    package static func addFrame(
        _ pixels: KittyPixels, image: UInt32, at rect: PixelRect, over base: Int, gap: Int, by medium: Medium = .inline,
        through route: Route = .direct
    ) -> [UInt8] {
        let frame = "a=f,i=\(image),x=\(rect.x),y=\(rect.y),c=\(base),z=\(max(1, gap)),X=1"
        // Every chunk of a frame names the action; other commands name it only in the first.
        return chunks(
            "\(frame),\(keys(of: pixels, medium)),\(route.quietness)", payload(of: pixels, medium), repeating: "a=f,",
            route)
    }

    /// Returns the command that starts an animation in the terminal.
    ///
    /// - Parameters:
    ///   - firstGap: The time in milliseconds until the second frame.
    ///   - loopCount: The total number of plays; 0 for forever.
    package static func run(
        image: UInt32, firstGap: Int, loopCount: Int, through route: Route = .direct
    ) -> [UInt8] {
        // The key counts one more than the loops; 1 is forever.
        let loops = loopCount == 0 ? 1 : loopCount + 1
        return command("a=a,i=\(image),r=1,z=\(max(1, firstGap))", [], route)
            + command("a=a,i=\(image),s=3,v=\(loops)", [], route)
    }

    // MARK: Bytes

    private static func keys(of pixels: KittyPixels, _ medium: Medium) -> String {
        let size = "f=\(pixels.format.rawValue),s=\(pixels.size.width),v=\(pixels.size.height)"
        let packing = pixels.compression == .zlib ? ",o=z" : ""
        switch medium {
        case .inline: return size + packing
        case .sharedMemory: return size + packing + ",t=s,S=\(pixels.bytes.count)"
        case .temporaryFile: return size + packing + ",t=t,S=\(pixels.bytes.count)"
        }
    }

    private static func payload(of pixels: KittyPixels, _ medium: Medium) -> [UInt8] {
        switch medium {
        case .inline: pixels.bytes
        case .sharedMemory(let name): Array(name.utf8)
        case .temporaryFile(let path): Array(path.utf8)
        }
    }

    private static func command(_ keys: String, _ payload: [UInt8], _ route: Route) -> [UInt8] {
        chunks("\(keys),\(route.quietness)", payload, route)
    }

    /// The largest number of Base64 characters in one sequence.
    static let chunkSize = 4096

    /// Returns the sequences of one command. All but the last announce another.
    ///
    /// - Parameters:
    ///   - keys: The keys of the first sequence.
    ///   - repeated: The keys of the others.
    static func chunks(
        _ keys: String, _ payload: [UInt8], repeating repeated: String = "", _ route: Route = .direct
    ) -> [UInt8] {
        let encoded = Data(payload).base64EncodedData()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count + encoded.count / chunkSize * 16 + keys.utf8.count + 16)
        var start = encoded.startIndex
        repeat {
            let end = min(encoded.endIndex, start + chunkSize)
            let isFirst = start == encoded.startIndex
            let isLast = end == encoded.endIndex
            bytes.append(route.introducer)
            bytes.append(
                isFirst ? keys + (isLast ? "" : ",m=1") : repeated + (isLast ? "m=0," : "m=1,") + route.quietness)
            if start < end {
                bytes.append(UInt8(ascii: ";"))
                bytes.append(contentsOf: encoded[start..<end])
            }
            bytes.append(route.terminator)
            start = end
        } while start < encoded.endIndex
        return bytes
    }
}
