#if Server
import CoreMetrics
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOSSL
import ServiceLifecycle
import TintypeCore
import TintypeServer
import UnixSignals

/// The program `tintype-server`, for programs that serve images themselves.
public enum ServerProgram {
    /// Serves until the process receives SIGTERM or SIGINT.
    ///
    /// Bootstraps swift-metrics, so a program must not. With the trait `Tracing`, requests have spans of the tracer
    /// that the program has bootstrapped before, which reads `traceparent`.
    ///
    /// - Parameters:
    ///   - environment: The settings, as environment variables.
    ///   - report: Receives lines for the operator.
    /// - Returns: The exit status.
    public static func run(
        environment: [String: String], report: @escaping @Sendable (String) -> Void
    ) async -> Int32 {
        let parser = SettingsParser(environment: environment) { path in
            try? String(contentsOfFile: path, encoding: .utf8)
        }
        do {
            let result = try parser.parse()
            for warning in result.warnings { report("warning: \(warning)") }
            try await serve(result.settings, report)
            return 0
        } catch let errors as SettingsErrors {
            report(errors.description)
            return 64
        } catch let error as ServerStartError {
            report(error.message)
            return 64
        } catch {
            report("the server ended: \(error)")
            return 1
        }
    }

    private static func serve(
        _ settings: ServerSettings, _ report: @escaping @Sendable (String) -> Void
    ) async throws {
        let registry = PrometheusRegistry()
        let factory = PrometheusFactory(registry)
        MetricsSystem.bootstrap(factory)
        MemoryReturn.prepare(cores: ProcessInfo.processInfo.activeProcessorCount)
        let metrics = ServerMetrics(factory: factory)
        let service = ImageService(try ServiceConfiguration(settings, metrics: metrics))
        let isStarted = Locked(false)
        let routes = ServerRoutes(page: DevelopmentPage(settings)) {
            service.health(isStarted: isStarted.withLock { $0 })
        }
        let monitor = RequestMonitor(metrics: metrics, log: settings.observing.isAccessLogOn ? accessLog : nil)
        let address = settings.effectiveBind
        let connections = ClientConnections()
        let application = Application(
            responder: ImageResponder(
                service: service, routes: routes, monitor: monitor, connections: connections,
                proxies: TrustedProxies(settings.listening.trustedProxies) ?? .none),
            server: try server(settings.listening, connections), configuration: configuration(address, settings),
            services: operatorServices(settings, service) {
                metrics.update(service.load, breakers: service.breakers, residentBytes: ResidentMemory.bytes)
                return registry.text()
            },
            onServerRunning: { _ in
                isStarted.withLock { $0 = true }
                report("listening on \(address)")
            }, logger: logger(settings))
        var group = ServiceGroupConfiguration(
            services: [DrainingServer(application: application, service: service)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger(settings))
        group.maximumGracefulShutdownDuration = settings.listening.gracePeriod
        try await ServiceGroup(configuration: group).run()
        try await service.flush()
    }

    /// The server, which refuses new images from the moment at which it is told to shut down.
    private struct DrainingServer: Service {
        let application: Application<ImageResponder>
        let service: ImageService

        func run() async throws {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                service.drain()
            }
        }
    }

    /// Writes a line of the log to standard output at once, also to a file or a pipe.
    @Sendable private static func accessLog(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// Returns the servers of the ports for metrics and for purges, and what returns memory.
    private static func operatorServices(
        _ settings: ServerSettings, _ service: ImageService, _ metrics: @escaping @Sendable () -> String
    ) -> [any Service] {
        var services: [any Service] = [MemoryReturnService(service: service)]
        if let address = settings.listening.metricsBind {
            services.append(
                Application(
                    responder: OperatorResponder(routes: OperatorRoutes(service, metrics: metrics)),
                    configuration: configuration(address, settings), logger: logger(settings)))
        }
        if let address = settings.listening.adminBind {
            services.append(
                Application(
                    responder: OperatorResponder(
                        routes: OperatorRoutes(
                            service, gate: settings.listening.adminToken.revealed.map(BearerGate.init))),
                    configuration: configuration(address, settings), logger: logger(settings)))
        }
        return services
    }

    private static func configuration(_ address: TintypeServer.BindAddress, _ settings: ServerSettings)
        -> ApplicationConfiguration
    {
        ApplicationConfiguration(
            address: address.hummingbird, serverName: "tintype",
            availableConnectionsDelegate: MaximumAvailableConnections(settings.listening.maximumConnections))
    }

    private static func logger(_ settings: ServerSettings) -> Logger {
        var logger = Logger(label: "tintype.server")
        logger.logLevel = Logger.Level(rawValue: settings.observing.logLevel) ?? .info
        return logger
    }

    /// Returns the server for HTTP/1.1, or with a certificate for HTTP/2 and HTTP/1.1 over TLS.
    private static func server(
        _ listening: ServerSettings.Listening, _ connections: ClientConnections
    ) throws -> HTTPServerBuilder {
        guard let certificate = listening.certificateFile, let key = listening.privateKeyFile else {
            return .http1(
                configuration: .init(
                    additionalChannelHandlers: ConnectionHandlers.all(listening, connections),
                    idleTimeout: .seconds(Int64(listening.keepAliveTimeout / .seconds(1)))))
        }
        return try .http2Upgrade(
            tlsConfiguration: TLSFiles(certificate: certificate, key: key).configuration(),
            configuration: .init(
                idleTimeout: listening.keepAliveTimeout,
                // That of connections with HTTP/1.1, and of the streams of HTTP/2.
                streamConfiguration: .init(
                    additionalChannelHandlers: ConnectionHandlers.all(listening, connections),
                    idleTimeout: .seconds(Int64(listening.keepAliveTimeout / .seconds(1))))))
    }
}

extension TintypeServer.BindAddress {
    /// The address as Hummingbird takes it.
    fileprivate var hummingbird: Hummingbird.BindAddress {
        switch self {
        case .tcp(let host, let port): .hostname(host ?? "0.0.0.0", port: port)
        case .unix(let path): .unixDomainSocket(path: path)
        }
    }
}
#endif
