import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Interceptors that wait, rewrite, answer and refuse.
@Suite(.timeLimited) struct AsyncInterceptorTests {
    private struct Interceptor: AsyncRequestInterceptor {
        let count = Shared(0)
        let decide: @Sendable (ImageRequest) async throws(TintypeError) -> InterceptedRequest

        @concurrent
        func intercept(_ request: ImageRequest) async throws(TintypeError) -> InterceptedRequest {
            count.withLock { $0 += 1 }
            return try await decide(request)
        }
    }

    private func fixture(_ interceptors: Interceptor...) -> PipelineFixture {
        let fixture = PipelineFixture { $0.asyncInterceptors = interceptors }
        for name in ["a", "b"] { fixture.answer(name) }
        return fixture
    }

    private func source(_ name: String) -> ImageSource { .closure(id: name) { Data() } }

    @Test func anInterceptorMayWaitAndRewriteTheRequest() async throws {
        let gate = Gate()
        let interceptor = Interceptor { request in
            _ = await gate.wait()
            return .load(request.with { $0.source = .closure(id: "b") { Data() } })
        }
        let fixture = fixture(interceptor)
        let tasks = (0..<3).map { _ in fixture.pipeline.start(fixture.request()) }
        await gate.waitForArrivals(1)
        #expect(fixture.loader.count("closure:a") == 0 && fixture.loader.count("closure:b") == 0)
        gate.open()
        for task in tasks { _ = try await task.response }
        #expect(interceptor.count.now == 1 && fixture.loader.count("closure:a") == 0)
        #expect(fixture.loader.count("closure:b") == 1)
        // A hit in memory does not wait. The rewritten image is found under its own key.
        #expect(fixture.pipeline.cachedImage(for: fixture.request("b")) != nil)
        #expect(fixture.pipeline.cachedImage(for: fixture.request("a")) == nil)
    }

    @Test func anInterceptorMayAnswerWithAnImage() async throws {
        let image = try Image.pixel()
        let first = Interceptor { _ in .answer(ImageResponse(image: image, origin: .custom)) }
        let second = Interceptor { .load($0) }
        let fixture = fixture(first, second)
        let response = try await fixture.pipeline.response(for: fixture.request())
        #expect(response.image === image && response.origin == .custom && second.count.now == 0)
        #expect(fixture.loader.count("closure:a") == 0 && fixture.memory.totalCount == 0 && fixture.disk.keys.isEmpty)
    }

    @Test func anInterceptorMayAnswerWithAnError() async {
        let fixture = fixture(
            Interceptor { _ throws(TintypeError) in throw TintypeError(.refused, stage: .request, "not today") })
        let error = await expectError(.refused) { try await fixture.pipeline.image(for: fixture.request()) }
        #expect(error?.subject == "closure:a" && fixture.pipeline.failureMemory.all.isEmpty)
    }

    @Test func interceptorsRunInOrderAndAnUnchangedRequestIsLoaded() async throws {
        let names = Shared<[String]>([])
        let interceptors = ["first", "second"].map { name in
            Interceptor { request in
                names.withLock { $0.append(name) }
                return .load(request)
            }
        }
        let fixture = fixture(interceptors[0], interceptors[1])
        _ = try await fixture.pipeline.image(for: fixture.request())
        #expect(names.now == ["first", "second"] && fixture.loader.count("closure:a") == 1)
    }

    @Test func anInterceptorMayAddAlternatives() async throws {
        let fixture = fixture(Interceptor { .load($0.orElse(.closure(id: "b") { Data() })) })
        fixture.answer("a", .failure(TintypeError(.badStatus, stage: .load, "test")))
        _ = try await fixture.pipeline.image(for: fixture.request())
        #expect(fixture.loader.count("closure:b") == 1)
    }

    @Test func cancellingALoadEndsTheWaitOfItsInterceptor() async {
        let (gate, cancelled) = (Gate(), Gate())
        let fixture = fixture(
            Interceptor { request in
                if await !gate.wait() { cancelled.open() }
                return .load(request)
            })
        let task = fixture.pipeline.start(fixture.request())
        await gate.waitForArrivals(1)
        task.cancel()
        await expectError(.cancelled) { try await task.response }
        #expect(await cancelled.wait())
        #expect(fixture.loader.count("closure:a") == 0)
    }

    // MARK: Other sources

    @Test func everyOtherSourceIsDecidedAbout() async throws {
        let names = Shared<[String]>([])
        let fixture = fixture(
            Interceptor { request throws(TintypeError) in
                names.withLock { $0.append(request.source.identity) }
                guard request.source.identity != "closure:b" else {
                    throw TintypeError(.refused, stage: .request, "not this one")
                }
                return .load(request)
            })
        fixture.answer("a", .failure(TintypeError(.badStatus, stage: .load, "test")))
        fixture.answer("c")
        _ = try await fixture.pipeline.image(for: fixture.request().orElse(source("b"), source("c")))
        #expect(names.now == ["closure:a", "closure:b", "closure:c"])
        #expect(fixture.loader.count("closure:b") == 0 && fixture.loader.count("closure:c") == 1)
    }

    @Test func anInterceptorThatAddsASourceToEveryRequestIsNotAskedWithoutEnd() async {
        let interceptor = Interceptor { .load($0.orElse(.closure(id: "b") { Data() })) }
        let fixture = fixture(interceptor)
        for name in ["a", "b"] {
            fixture.answer(name, .failure(TintypeError(.badStatus, stage: .load, "test")))
        }
        await expectError(.badStatus) { try await fixture.pipeline.image(for: fixture.request()) }
        #expect(interceptor.count.now == 2 && fixture.loader.count("closure:b") == 1)
    }

    @Test func aThumbnailIsMadeFromTheSourceThatTheInterceptorChose() async throws {
        let interceptor = Interceptor { .load($0.with { $0.source = .closure(id: "b") { Data() } }) }
        let fixture = fixture(interceptor)
        let request = fixture.request().thumbnailFirst(width: 2)
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.loader.count("closure:a") == 0 && fixture.loader.count("closure:b") == 1)
        #expect(interceptor.count.now == 1)
    }

    @Test func aSourceThatAnInterceptorAddsIsNotRewrittenAgain() async throws {
        struct Renaming: RequestInterceptor {
            func intercept(_ request: ImageRequest) -> ImageRequest {
                request.with { $0.source = .closure(id: "\(request.source.identity)!") { Data() } }
            }
        }
        let fixture = PipelineFixture {
            $0.interceptors = [Renaming()]
            $0.asyncInterceptors = [Interceptor { .load($0.orElse(.closure(id: "b") { Data() })) }]
        }
        fixture.answer("b")
        _ = try await fixture.pipeline.image(for: fixture.request().orElse(source("c")))
        let identities = ["closure:closure:a!", "closure:closure:c!", "closure:b", "closure:closure:b!"]
        #expect(identities.map { fixture.loader.count($0) } == [1, 1, 1, 0])
    }

    @Test func theScaleBelongsToEachCaller() async throws {
        let gate = Gate()
        let fixture = fixture(Interceptor { .load($0.orElse(.closure(id: "b") { Data() })) })
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let tasks = [Double?.some(3), nil].map { scale in
            fixture.pipeline.start(fixture.request().with { $0.rendition.decode.scale = scale })
        }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(try await tasks[0].response.image.scale == 3)
        #expect(try await tasks[1].response.image.scale == 1)
        #expect(fixture.loader.count("closure:a") == 1)
    }
}
