#if GTK
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimit(.minutes(5))) @MainActor struct TextureTests {
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
}
#endif
