import Foundation
import HTTPTestSupport
import Synchronization
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

@Suite(.timeLimited) struct InterceptorTests {
    private func options(_ interceptors: any HTTPInterceptor...) -> HTTPOptions {
        var options = HTTPOptions()
        options.interceptors = interceptors
        return options
    }

    @Test func aRequestModifierChangesMethodHeadersAndBody() async throws {
        let modifier = DownloadModifier.request(id: "m") { request in
            var request = request
            request.method = "POST"
            request.headers["X-Mine"] = "yes"
            request.body = Data("asked".utf8)
            return request
        }
        try await Fixture.withOrigin(options: options(modifier)) { origin, load in
            origin.serve("/a", response: .testImage)
            _ = try await load("/a")
            let request = try #require(origin.requests.first)
            #expect(request.method == "POST" && request[header: "x-mine"] == "yes")
            #expect(request.body == Data("asked".utf8))
        }
    }

    @Test func aRequestModifierChangesTheURL() async throws {
        let modifier = DownloadModifier.request(id: "m") { request in
            var request = request
            request.url = URL(string: "\(request.url.absoluteString)?text=hello") ?? request.url
            return request
        }
        try await Fixture.withOrigin(options: options(modifier)) { origin, load in
            origin.serve("/a", response: .testImage)
            let data = try await load("/a").data
            #expect(data == Fixture.body && origin.requests.map(\.query) == ["text=hello"])
        }
    }

    @Test func headerFieldsOfRequestsAndResponsesAreSetWithoutAClosure() async throws {
        let modifiers = options(
            DownloadModifier.headers(["X-Mine": "1"]),
            DownloadModifier.response(id: "theirs") { response in
                var response = response
                response.headers["X-Theirs"] = "2"
                return response
            })
        try await Fixture.withOrigin(options: modifiers) { origin, load in
            origin.serve("/a", response: .testImage)
            let bytes = try await load("/a")
            #expect(origin.requests.first?[header: "x-mine"] == "1" && bytes.http?.headers["x-theirs"] == "2")
        }
    }

    @Test func aRequestModifierThatReturnsNilRefusesTheRequest() async throws {
        try await Fixture.withOrigin(options: options(DownloadModifier.request(id: "no") { _ in nil })) {
            origin, load in
            await Fixture.expect(.refusedRequest) { try await load("/a") }
            #expect(origin.requestCount() == 0)
        }
    }

    private func setStatus(_ status: Int) -> DownloadModifier {
        DownloadModifier.response(id: "status") { response in
            var response = response
            response.status = status
            return response
        }
    }

    @Test func aResponseModifierChangesTheStatus() async throws {
        try await Fixture.withOrigin(options: options(setStatus(200))) { origin, load in
            origin.serve("/a", response: .testImage.setting(\.status, to: 404))
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    @Test func theStatusOfAResponseModifierIsChecked() async throws {
        try await Fixture.withOrigin(options: options(setStatus(404))) { origin, load in
            origin.serve("/a", response: .testImage)
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            #expect(error?.status == 404)
        }
    }

    @Test func aResponseModifierThatReturnsNilRefusesTheResponse() async throws {
        try await Fixture.withOrigin(options: options(DownloadModifier.response(id: "no") { _ in nil })) {
            origin, load in
            origin.serve("/a", response: .testImage)
            await Fixture.expect(.refusedResponse) { try await load("/a") }
        }
    }

    @Test func aBase64BodyIsDecoded() async throws {
        try await Fixture.withOrigin(options: options(DownloadModifier.base64)) { origin, load in
            let coded = Fixture.body.base64EncodedData(options: .lineLength64Characters)
            origin.serve("/a", response: .image(coded, type: "image/png"))
            origin.serve("/bad", response: .image(Data("A".utf8), type: "image/png"))
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            await Fixture.expect(.undecipherable) { try await load("/bad") }
        }
    }

    @Test func aDecryptorThatReturnsNilFailsTheTransfer() async throws {
        let decryptor = DownloadModifier.decryptor(id: "no") { _, _ in nil }
        try await Fixture.withOrigin(options: options(decryptor)) { origin, load in
            origin.serve("/a", response: .testImage)
            await Fixture.expect(.undecipherable) { try await load("/a") }
        }
    }

    @Test func aDecryptorStaysWithinTheLimit() async throws {
        try await Fixture.withOrigin(limit: 1000, options: options(DownloadModifier.base64)) { origin, load in
            origin.serve("/a", response: .testImage.setting(\.framing, to: .chunked(size: 500)))
            await Fixture.expect(.limitExceeded) { try await load("/a") }
        }
    }

    @Test func interceptorsOfTheConfigurationAreOutermost() async throws {
        let order = Shared<[String]>([])
        func tracing(_ name: String) -> DownloadModifier {
            DownloadModifier.request(id: name) { request in
                order.withLock { $0.append(name) }
                return request
            }
        }
        var configuration = DownloaderConfiguration.patient
        configuration.interceptors = [tracing("first"), tracing("second")]
        try await Fixture.withOrigin(configuration, options: options(tracing("third"))) { origin, load in
            origin.serve("/a", response: .testImage)
            _ = try await load("/a")
        }
        #expect(order.now == ["first", "second", "third"])
    }

    /// User code may take its time, and the caller may be the user interface.
    @MainActor @Test func interceptorsDoNotRunOnTheCallersActor() async throws {
        // Not the thread: on Linux, any thread may run the main queue, and an interceptor later.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        try #require(DispatchQueue.getSpecific(key: key) == true)
        let isOnMainQueue = Shared<Bool?>(nil)
        let modifier = DownloadModifier.request(id: "queue") { request in
            isOnMainQueue.withLock { $0 = DispatchQueue.getSpecific(key: key) == true }
            return request
        }
        let downloader = Downloader(.patient)
        let options = options(modifier)
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            _ = try await downloader.download(.url(origin.url("/a")), options: options).bytes
        }
        #expect(isOnMainQueue.now == false)
    }

    @Test func anInterceptorMayRespondItself() async throws {
        struct Answering: HTTPInterceptor {
            let id = "answering"
            func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
                DownloadResponse(url: request.url, status: 200, body: DownloadBody(Fixture.body))
            }
        }
        try await Fixture.withOrigin(options: options(Answering())) { origin, load in
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            #expect(origin.requestCount() == 0)
        }
    }

    @Test func aResponseModifierSeesOnlyTheFinalResponse() async throws {
        let seen = Shared<[String]>([])
        let modifier = DownloadModifier.response(id: "m") { response in
            seen.withLock { $0.append("\(response.status) \(response.url.path())") }
            return response
        }
        try await Fixture.withOrigin(options: options(modifier)) { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .testImage)
            _ = try await load("/a")
            #expect(seen.now == ["200 /b"])
        }
    }

    // MARK: Authorizing

    private func authorizer(_ renewals: Shared<Int>, _ gate: Gate? = nil) -> DownloadAuthorizer {
        DownloadAuthorizer(
            current: { .bearer("old") },
            renewed: {
                renewals.withLock { $0 += 1 }
                _ = await gate?.wait()
                return .bearer("new")
            })
    }

    private func protect(_ origin: Origin, _ path: String) {
        origin.serve(path) { request in
            request[header: "authorization"] == "Bearer new" ? .testImage : .status(401)
        }
    }

    @Test func a401RenewsTheCredentialOnceAndRepeatsTheRequest() async throws {
        let renewals = Shared(0)
        try await Fixture.withOrigin(options: options(authorizer(renewals))) { origin, load in
            protect(origin, "/a")
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            let again = try await load("/a").data
            #expect(again == Fixture.body)
            #expect(renewals.now == 1 && origin.requestCount() == 3)
        }
    }

    @Test func theCredentialIsFetchedForEveryAttempt() async throws {
        let asked = Shared(0)
        var configuration = DownloaderConfiguration.patient
        configuration.retry = RetryPolicy(maximumAttempts: 3)
        configuration.clock = Fixture.clock(Shared([]))
        let authorizer = DownloadAuthorizer(
            current: {
                let number = asked.withLock { count in
                    count += 1
                    return count
                }
                return .bearer("\(number)")
            }, renewed: { .bearer("new") })
        try await Fixture.withOrigin(configuration, options: options(authorizer)) { origin, load in
            origin.serve("/a", sequence: [.status(503), .status(503), .testImage])
            _ = try await load("/a")
            let sent = origin.requests.map { $0[header: "authorization"] }
            #expect(sent == ["Bearer 1", "Bearer 2", "Bearer 3"])
        }
    }

    @Test func concurrent401sShareOneRenewal() async throws {
        let renewals = Shared(0)
        let gate = Gate()
        var configuration = DownloaderConfiguration.patient
        configuration.interceptors = [authorizer(renewals, gate)]
        try await Fixture.withOrigin(configuration) { origin, load in
            for number in 0..<6 { protect(origin, "/\(number)") }
            try await withThrowingTaskGroup(of: Data.self) { group in
                for number in 0..<6 { group.addTask { try await load("/\(number)").data } }
                await origin.waitForRequests(6)
                await gate.waitForArrivals(1)
                gate.open()
                for try await data in group { #expect(data == Fixture.body) }
            }
            #expect(renewals.now == 1 && origin.requestCount() == 12)
        }
    }

    @Test func aSecond401FailsTheTransfer() async throws {
        let renewals = Shared(0)
        try await Fixture.withOrigin(options: options(authorizer(renewals))) { origin, load in
            origin.serve("/a", response: .status(401))
            let error = await Fixture.expect(.badStatus) { try await load("/a") }
            #expect(error?.status == 401)
            #expect(renewals.now == 1 && origin.requestCount() == 2)
        }
    }

    @Test func anAuthorizersCredentialStaysWithItsOrigin() async throws {
        let renewals = Shared(0)
        try await Fixture.withOrigin { other in
            other.serve("/b", response: .status(401))
            try await Fixture.withOrigin(options: options(authorizer(renewals))) { origin, load in
                origin.serve("/a", response: .redirect(to: other.url("/b").absoluteString))
                await Fixture.expect(.badStatus) { try await load("/a") }
                #expect(other.requests.first?[header: "authorization"] == nil)
                #expect(renewals.now == 0, "a 401 of another origin does not concern this credential")
            }
        }
    }

    /// A clock whose time limits pass when the current gate opens.
    private func clock(_ limit: Shared<Gate>) -> TransferClock {
        var clock = TransferClock.system
        clock.sleep = { _ in
            _ = await limit.now.wait()
            try Task.checkCancellation()
        }
        return clock
    }

    @Test func aHangingRenewalFreesTheSlotAtItsTimeLimit() async throws {
        let (renewals, limit, hung) = (Shared(0), Shared(Gate()), Gate())
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        let authorizer = DownloadAuthorizer(
            current: { .bearer("old") },
            renewed: {
                let number = renewals.withLock { count in
                    count += 1
                    return count
                }
                // The first renewal ignores cancellation.
                if number == 1 { _ = await Task { await hung.wait() }.value }
                return .bearer("new")
            }, limit: .seconds(7), clock: clock(limit))
        try await Fixture.withOrigin(configuration, options: options(authorizer)) { origin, load in
            protect(origin, "/a")
            async let first = Fixture.expect(.timedOut) { try await load("/a") }
            await hung.waitForArrivals(1)
            limit.now.open()
            _ = await first
            limit.withLock { $0 = Gate() }
            let data = try await load("/a").data
            #expect(data == Fixture.body && renewals.now == 2)
            hung.open()
        }
    }

    @Test func aCancelledTransferDoesNotWaitForARenewal() async throws {
        let (limit, hung) = (Shared(Gate()), Gate())
        let authorizer = DownloadAuthorizer(
            current: { .bearer("old") },
            renewed: {
                _ = await Task { await hung.wait() }.value
                return .bearer("new")
            }, limit: .seconds(7), clock: clock(limit))
        try await Fixture.withOrigin(options: options(authorizer)) { origin, load in
            protect(origin, "/a")
            protect(origin, "/b")
            let downloader = Downloader.patient
            let source = ImageSource.url(origin.url("/b"))
            let other = downloader.download(source, options: options(authorizer))
            await hung.waitForArrivals(1)
            other.cancel()
            while downloader.runningDownloadCount > 0 { await Task.yield() }
            hung.open()
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    /// The transfer leaves its slot, although the interceptor hangs on.
    @Test func aCancelledTransferDoesNotWaitForAnInterceptor() async throws {
        let hung = Gate()
        var configuration = DownloaderConfiguration.patient
        configuration.maximumConcurrentDownloads = 1
        let downloader = Downloader(configuration)
        var options = HTTPOptions()
        options.interceptors = [
            DownloadModifier.request(id: "hung") { request in
                _ = await Task { await hung.wait() }.value
                return request
            }
        ]
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let held = downloader.download(.url(origin.url("/held")), options: options)
            await hung.waitForArrivals(1)
            held.cancel()
            let data = try await Fixture.load(.url(origin.url("/a")), downloader).data
            #expect(data == Fixture.body)
            hung.open()
            // The request of a transfer that has ended is not sent.
            while downloader.runningDownloadCount > 0 { await Task.yield() }
            #expect(origin.requestCount("/held") == 0)
        }
    }

    @Test func anInterceptorThatHangsIsATimeOut() async throws {
        let (hung, limit) = (Gate(), Gate())
        var configuration = DownloaderConfiguration.patient
        configuration.clock.sleep = { _ in _ = await limit.wait() }
        configuration.interceptors = [
            DownloadModifier.request(id: "hung") { request in
                _ = await Task { await hung.wait() }.value
                return request
            }
        ]
        configuration.totalTimeout = .seconds(7)
        try await Fixture.withOrigin(configuration) { _, load in
            async let ended = Fixture.expect(.timedOut) { try await load("/a") }
            await hung.waitForArrivals(1)
            limit.open()
            _ = await ended
            hung.open()
        }
    }

    // MARK: Credentials

    @Test(arguments: [
        (HTTPCredential.basic(user: "Aladdin", password: "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        (.bearer("abc"), "Bearer abc"),
    ]) func aCredentialIsSent(_ credential: HTTPCredential, _ expected: String) async throws {
        var options = HTTPOptions()
        options.credential = credential
        try await Fixture.withOrigin(options: options) { origin, load in
            origin.serve("/a", response: .testImage)
            _ = try await load("/a")
            #expect(origin.requests.first?[header: "authorization"] == expected)
        }
    }

    @Test func aNameAndPasswordInTheURLAreACredential() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            let url = try #require(
                URL(string: origin.url("/a").absoluteString.replacing("http://", with: "http://me:p%40ss@")))
            _ = try await Fixture.load(.url(url), Downloader.patient)
            #expect(
                origin.requests.first?[header: "authorization"]
                    == HTTPCredential.basic(user: "me", password: "p@ss").authorization)
        }
    }

    @Test func aRequestsCredentialStaysWithItsOrigin() async throws {
        var options = HTTPOptions()
        options.credential = .bearer("secret")
        try await Fixture.withOrigin { other in
            other.serve("/b", response: .testImage)
            try await Fixture.withOrigin(options: options) { origin, load in
                origin.serve("/a", response: .redirect(to: other.url("/b").absoluteString))
                _ = try await load("/a")
                #expect(other.requests.first?[header: "authorization"] == nil)
            }
        }
    }

    @Test func credentialsOfTheConfigurationGoToTheirOriginsAlone() async throws {
        try await Fixture.withOrigin { other in
            other.serve("/b", response: .testImage)
            try await Fixture.withOrigin { origin in
                origin.serve("/a", response: .redirect(to: other.url("/b").absoluteString))
                origin.serve("/c", response: .redirect(to: "/d"))
                origin.serve("/d", response: .testImage)
                var configuration = DownloaderConfiguration.patient
                // Only the origin of the URL counts.
                configuration.credentials = [origin.url("/x"): .bearer("one")]
                let downloader = Downloader(configuration)
                for path in ["/a", "/c"] { _ = try await Fixture.load(.url(origin.url(path)), downloader) }
                #expect(origin.requests.allSatisfy { $0[header: "authorization"] == "Bearer one" })
                #expect(other.requests.map { $0[header: "authorization"] } == [nil])
                // Each origin gets its own, also after a redirect.
                downloader.configuration.credentials[other.baseURL] = .bearer("two")
                _ = try await Fixture.load(.url(origin.url("/a")), downloader)
                #expect(other.requests.last?[header: "authorization"] == "Bearer two")
            }
        }
    }

    @Test func aRequestsCredentialPrecedesThatOfTheConfiguration() async throws {
        var options = HTTPOptions()
        options.credential = .bearer("own")
        try await Fixture.withOrigin { origin in
            origin.serve("/a", response: .testImage)
            var configuration = DownloaderConfiguration.patient
            configuration.credentials = [origin.baseURL: .bearer("all")]
            let downloader = Downloader(configuration)
            _ = try await Fixture.load(.url(origin.url("/a")), downloader, options: options)
            let source = ImageSource.http(HTTPSource(url: origin.url("/a"), headers: ["Authorization": "mine"]))
            _ = try await Fixture.load(source, downloader)
            #expect(origin.requests.map { $0[header: "authorization"] } == ["Bearer own", "mine"])
        }
    }

    // MARK: The redirect hook

    @Test func aRedirectHookDecides() async throws {
        var configuration = DownloaderConfiguration.patient
        configuration.redirectHook = { next, _ in
            guard next.url.path() != "/forbidden" else { return nil }
            var next = next
            next.headers["X-Redirect"] = "1"
            return next
        }
        try await Fixture.withOrigin(configuration) { origin, load in
            origin.serve("/a", response: .redirect(to: "/b"))
            origin.serve("/b", response: .testImage)
            origin.serve("/c", response: .redirect(to: "/forbidden"))
            _ = try await load("/a")
            #expect(origin.requests.last?[header: "x-redirect"] == "1")
            await Fixture.expect(.refusedRequest) { try await load("/c") }
        }
    }
}
