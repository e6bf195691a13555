import Foundation
import Tintype

// The code of several articles. `DocumentCodeTests` compares the two.

private func loadFirstImage(_ url: URL) async throws -> Image {
    let image = try await ImagePipeline.shared.image(for: url)
    return image
}
