import Foundation
import FoundationNetworking
import TintypeHTTP

/// A transport over Foundation's `URLSession`: the example of the article Transport. It has the connections, the proxy
/// settings and the certificates of the session, and cannot check addresses.
final class URLSessionTransport: NSObject, HTTPTransport, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var responses: [Int: TransportResponse] = [:]
    private let queue = OperationQueue()
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        // Caching, cookies and redirects are those of the downloader.
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    }()

    func send(_ request: TransportRequest, to response: TransportResponse) -> any TransportExchange {
        var converted = URLRequest(url: request.url)
        converted.httpMethod = request.method
        converted.httpBody = request.body
        for (name, value) in request.headers.all { converted.addValue(value, forHTTPHeaderField: name) }
        return lock.withLock {
            let task = session.dataTask(with: converted)
            responses[task.taskIdentifier] = response
            task.resume()
            return Exchange(task: task)
        }
    }

    /// Ends the session. Call when no exchange runs.
    func invalidate() { lock.withLock { session.finishTasksAndInvalidate() } }

    private struct Exchange: TransportExchange, @unchecked Sendable {
        let task: URLSessionTask
        func cancel() { task.cancel() }
        func resume() { task.resume() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
        var fields = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        // Foundation decodes bodies, but leaves these fields.
        if fields.contains(where: { $0.name.lowercased() == "content-encoding" }) {
            fields.removeAll { ["content-encoding", "content-length"].contains($0.name.lowercased()) }
        }
        lock.withLock { responses[dataTask.taskIdentifier] }?.receive(
            TransportHead(status: response.statusCode, version: "http/1.1", headers: HTTPFields(fields)))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let response = lock.withLock { responses[dataTask.taskIdentifier] }
        if data.withUnsafeBytes({ response?.receive($0) }) == .pause { dataTask.suspend() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let response = lock.withLock { responses.removeValue(forKey: task.taskIdentifier) }
        response?.finish(error.map { TransportFailure(.closed, $0.localizedDescription) })
    }
}
