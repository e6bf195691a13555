import CTintypeGTK
import TintypeCore

/// The textures of the process: one for each pixel buffer that is shown, however many views show it.
///
/// A renderer uploads a texture to the graphics card when it first draws it, and keeps the copy as long as the texture
/// exists. Two textures of the same pixels would be uploaded twice. The textures that were used last are retained, so
/// that a row that is scrolled back needs no upload.
@MainActor final class TextureTable {
    static let shared = TextureTable()

    private var recent: RecentTextures

    /// - Parameter limit: The maximum number of bytes of the textures that are retained.
    private init(limit: Int = 64 << 20) {
        recent = RecentTextures(limit: limit)
        MemoryPressureMonitor.shared.addHandler { pressure in
            Task { @MainActor in TextureTable.shared.shrink(for: pressure) }
        }
    }

    /// Returns the texture of pixels, without a copy of them.
    func texture(for pixels: PixelBuffer) -> Texture {
        // The bytes neither move nor change, and live as long as the buffer, which the texture retains.
        let address = pixels.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let known = livingTextures.withLock { $0[address] }.flatMap { OpaquePointer(bitPattern: $0) }
        let texture = Texture(known ?? makeTexture(pixels, address), address: address, byteCount: pixels.byteCount)
        // After the texture object has a reference of its own.
        if known == nil { tintype_object_drop(UnsafeMutableRawPointer(texture.pointer)) }
        return recent.use(texture)
    }

    /// Creates a texture, with a reference for the caller.
    private func makeTexture(_ pixels: PixelBuffer, _ address: UInt) -> OpaquePointer {
        let owner = Unmanaged.passRetained(PixelOwner(pixels)).toOpaque()
        let key = UnsafeMutableRawPointer(bitPattern: address) ?? owner
        let texture = tintype_texture_new(
            key, pixels.byteCount, Int32(pixels.size.width), Int32(pixels.size.height), pixels.bytesPerRow,
            { release($0, PixelOwner.self) }, owner)
        livingTextures.withLock { $0[address] = UInt(bitPattern: texture) }
        tintype_texture_notify(texture, { key in livingTextures.withLock { $0[UInt(bitPattern: key)] = nil } }, key)
        return texture
    }

    private func shrink(for pressure: MemoryPressure) {
        recent.trim(to: pressure.remainder(of: recent.byteCount))
        PixelPool.shared.trim()
    }
}

/// The textures that exist, by the address of their pixels. The address of pixels identifies them while a texture
/// retains them, and a texture leaves this table before it releases them.
private let livingTextures = Locked<[UInt: UInt]>([:])

/// Retains pixels for a texture.
private final class PixelOwner: Sendable {
    let pixels: PixelBuffer

    init(_ pixels: PixelBuffer) {
        self.pixels = pixels
    }
}

/// A reference to a `GdkTexture`.
@MainActor final class Texture {
    let pointer: OpaquePointer
    /// The address of the pixels.
    let address: UInt
    let byteCount: Int

    /// Retains a texture.
    init(_ pointer: OpaquePointer, address: UInt, byteCount: Int) {
        (self.pointer, self.address, self.byteCount) = (pointer, address, byteCount)
        tintype_object_hold(UnsafeMutableRawPointer(pointer))
    }

    // Isolated, because a renderer notices the end of its textures without a lock.
    isolated deinit {
        tintype_object_drop(UnsafeMutableRawPointer(pointer))
    }
}

/// The textures that were used last, within a limit of bytes.
@MainActor struct RecentTextures {
    private let limit: Int
    private(set) var byteCount = 0
    /// The textures by the addresses of their pixels, and the order in which they were used.
    private var textures: [UInt: (texture: Texture, use: Int)] = [:]
    private var lastUse = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Marks a texture as used, and returns the reference to it that is retained.
    mutating func use(_ texture: Texture) -> Texture {
        lastUse += 1
        if let known = textures[texture.address]?.texture {
            textures[texture.address] = (known, lastUse)
            return known
        }
        textures[texture.address] = (texture, lastUse)
        byteCount += texture.byteCount
        // Trim to three quarters of the limit, so that the sort does not run for every new texture.
        if byteCount > limit { trim(to: limit / 4 * 3) }
        return texture
    }

    /// Releases textures, those unused for longest first, until at most `target` bytes are left.
    mutating func trim(to target: Int) {
        guard byteCount > target else { return }
        for (address, entry) in textures.sorted(by: { $0.value.use < $1.value.use }) {
            guard byteCount > target else { return }
            textures[address] = nil
            byteCount -= entry.texture.byteCount
        }
    }
}
