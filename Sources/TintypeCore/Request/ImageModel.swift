/// A value of the program that stands for an image, such as a user with a portrait.
///
/// ```swift
/// struct User: ImageModel {
///     var id: Int
///     var imageIdentity: String { "user \(id)" }
/// }
///
/// configuration.interceptors.append(ModelMapper { (user: User) in .url(portraits.appending(path: "\(user.id)")) })
/// let image = try await pipeline.image(for: ImageRequest(source: .custom(User(id: 7))))
/// ```
///
/// A ``ModelMapper`` maps a model to another source of its image. A ``ModelLoader`` loads the image of a model
/// directly.
public protocol ImageModel: Sendable {
    /// The string that distinguishes the image of this model from those of all other models, in cache keys. It must
    /// contain no secrets, and differ when the image differs.
    var imageIdentity: String { get }
}

/// A request interceptor that replaces the models of one type with other sources.
///
/// Caches and shared work identify the image by the model, whatever source it is loaded from.
public struct ModelMapper<Model: ImageModel>: RequestInterceptor {
    private let source: @Sendable (Model) -> ImageSource?

    /// Creates a mapper.
    ///
    /// - Parameter source: Returns the source of a model's image; `nil` leaves the model to a ``ModelLoader``. Called
    ///   on the caller's thread for every request of such a model, including memory hits, so it must be fast.
    public init(_ source: @escaping @Sendable (Model) -> ImageSource?) {
        self.source = source
    }

    /// Returns the request with the source of its model.
    public func intercept(_ request: ImageRequest) -> ImageRequest {
        guard case .custom(let any) = request.source, let model = any as? Model, let source = source(model) else {
            return request
        }
        let identity = request.identity ?? request.source.identity
        return request.with { request in
            request.source = source
            // After the source, which resets it.
            request.identity = identity
        }
    }
}

/// Loads the images of the models of one type.
public struct ModelLoader<Model: ImageModel>: ImageLoader {
    private let loadModel: @Sendable (Model, LoadContext) async throws -> LoadedBytes

    /// Creates a loader.
    ///
    /// - Parameter load: Returns the bytes, or the decoded image (``LoadedBytes/init(decoded:origin:data:)``), of a
    ///   model.
    public init(_ load: @escaping @Sendable (Model, LoadContext) async throws -> LoadedBytes) {
        loadModel = load
    }

    /// Returns whether the source is a model of this type.
    public func canLoad(_ source: ImageSource) -> Bool {
        if case .custom(let model) = source { model is Model } else { false }
    }

    /// Calls the closure with the model of the source.
    ///
    /// - Throws: The closure's error if it is a ``TintypeError``, ``TintypeError/Code/cancelled`` when the load is
    ///   cancelled, ``TintypeError/Code/transport`` for any other error, or ``TintypeError/Code/invalidSource``.
    @concurrent
    public func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard case .custom(let any) = source, let model = any as? Model else {
            throw TintypeError(.invalidSource, stage: .load, "not a \(Model.self)", subject: source.displayName)
        }
        do {
            return try await loadModel(model, context)
        } catch {
            throw TintypeError(thrownByProgram: error, subject: source.displayName)
        }
    }
}

extension TintypeError {
    /// The error of a load whose closure threw an error.
    init(thrownByProgram error: any Error, subject: String) {
        self =
            switch error {
            case let error as TintypeError: error.about(subject)
            case is CancellationError: .cancelled
            default: TintypeError(.transport, stage: .load, "\(error)", subject: subject, underlying: error)
            }
    }
}
