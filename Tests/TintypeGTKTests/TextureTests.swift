#if GTK
import CGTK
import Testing
import TestSupport
import TintypeCore
import TintypeTesting

@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct TextureTests {
    init() throws { try Screen.open() }

    private func makePixels() throws -> PixelBuffer {
        try .filled(.solidRed, size: PixelSize(width: 16, height: 16))
    }

    @Test func pixelsHaveOneTextureWhileItExists() throws {
        let pixels = try makePixels()
        let first = TextureTable.shared.texture(for: pixels)
        #expect(TextureTable.shared.texture(for: pixels).pointer == first.pointer)
        #expect(TextureTable.shared.texture(for: try makePixels()).pointer != first.pointer)
    }

    @Test func theTexturesUsedLastAreRetained() throws {
        let textures = try (0..<5).map { _ in TextureTable.shared.texture(for: try makePixels()) }
        let size = textures[0].byteCount
        var recent = RecentTextures(limit: 4 * size)
        for texture in textures[..<4] { _ = recent.use(texture) }
        #expect(recent.byteCount == 4 * size)
        // The first one is used again, so the second and the third leave.
        _ = recent.use(textures[0])
        _ = recent.use(textures[4])
        #expect(recent.byteCount == 3 * size)
        recent.trim(to: size)
        #expect(recent.byteCount == size)
        #expect(recent.use(textures[4]) === textures[4] && recent.byteCount == size)
    }

    @Test func aWarningReleasesTheTexturesThatNoViewShowsThoseUnusedForLongestFirst() async throws {
        // The warnings reach the views once there is one.
        _ = Desktop.shared
        // More than half of all textures of the tests, so that some of them are released.
        let pixels = try (0..<10).map { _ in
            var writer = try PixelWriter(size: PixelSize(width: 1024, height: 1024))
            writer.clear()
            return writer.finish()
        }
        var living = Set(pixels.indices)
        var shown: Texture?
        for (index, buffer) in pixels.enumerated() {
            let texture = TextureTable.shared.texture(for: buffer)
            notifyOfEnd(of: texture.pointer) { living.remove(index) }
            // As a view does.
            if index == 1 { shown = texture }
        }
        #expect(living.count == 10)
        try DesktopSettings.warnOfLowMemory()
        await MainLoop.run { !living.contains(0) }
        #expect(living.contains(1) && living.contains(9))
        #expect(TextureTable.shared.texture(for: pixels[1]).pointer == shown?.pointer)
    }
}
#endif
