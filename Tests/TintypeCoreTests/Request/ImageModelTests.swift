import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Sources of a type of the program.
@Suite(.timeLimited) struct ImageModelTests {
    private struct User: ImageModel {
        var id: Int
        var imageIdentity: String { "user \(id)" }
    }

    private struct Album: ImageModel {
        var imageIdentity: String { "album" }
    }

    private func request(_ model: any ImageModel) -> ImageRequest { ImageRequest(source: .custom(model)) }

    private static let mapper = User.mapper { user in
        user.id > 0 ? .closure(id: "portrait \(user.id)") { Data() } : nil
    }

    @Test func theKeyOfAModelIsItsIdentity() throws {
        #expect(request(User(id: 7)).key == CacheKey(source: "custom:user 7"))
        #expect(
            request(User(id: 7)).key == request(User(id: 7)).key && request(User(id: 7)).key != request(Album()).key)
        let url = try #require(URL(string: "custom:album"))
        #expect(ImageRequest(url: url).key != request(Album()).key)
    }

    @Test func aMapperNamesTheSourceOfAModel() async throws {
        let fixture = PipelineFixture { $0.interceptors = [Self.mapper] }
        fixture.answer("portrait 7")
        let response = try await fixture.pipeline.response(for: request(User(id: 7)))
        #expect(response.origin == .network && fixture.loader.count("closure:portrait 7") == 1)
        // Memory and disk know the image by the model.
        #expect(fixture.pipeline.cacheKey(for: request(User(id: 7))) == request(User(id: 7)).key)
        #expect(fixture.memory.contains(request(User(id: 7)).key))
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys == [request(User(id: 7)).key])
    }

    @Test func aMapperLeavesOtherModelsAlone() {
        for model in [User(id: 0), Album()] as [any ImageModel] {
            #expect(Self.mapper.intercept(request(model)).source.identity == "custom:\(model.imageIdentity)")
        }
        let named = request(User(id: 1)).with { $0.identity = "mine" }
        #expect(Self.mapper.intercept(named).key.source == "mine")
        #expect(Self.mapper.intercept(PipelineFixture().request()).key.source == "closure:a")
    }

    @Test func aLoaderLoadsTheModelsOfItsType() async throws {
        let loader = User.loader { user, context in
            guard user.id > 0 else { throw CocoaError(.fileNoSuchFile) }
            return LoadedBytes(data: PipelineFixture.png, origin: .custom)
        }
        let fixture = PipelineFixture { $0.loaders = [loader] }
        #expect(try await fixture.pipeline.response(for: request(User(id: 7))).origin == .custom)
        let error = await expectError(.transport) { try await fixture.pipeline.image(for: request(User(id: 0))) }
        #expect(error?.subject == "custom:user 0" && error?.underlying is CocoaError)
        await expectError(.invalidSource) { try await fixture.pipeline.image(for: request(Album())) }
    }

    @Test func aModelWithoutALoaderIsInvalid() async {
        let fixture = PipelineFixture { $0.loaders = PipelineConfiguration().loaders }
        await expectError(.invalidSource) { try await fixture.pipeline.image(for: request(Album())) }
    }
}
