/// A value of the program that stands for an image, such as a user with a portrait.
///
/// ```swift
/// struct User: ImageModel {
///     var id: Int
///     var imageIdentity: String { "user \(id)" }
/// }
///
/// configuration.interceptors.append(User.mapper { user in .url(portraits.appending(path: "\(user.id)")) })
/// let image = try await pipeline.image(for: ImageRequest(source: .custom(User(id: 7))))
/// ```
///
/// ``mapper(_:)`` maps models to other sources of their images. ``loader(_:)`` loads the images of models directly.
public protocol ImageModel: Sendable {
    /// The string that distinguishes the image of this model from those of all other models, in cache keys. It must
    /// contain no secrets, and differ when the image differs.
    var imageIdentity: String { get }
}

extension ImageModel {
    /// Returns a request interceptor that replaces models of this type with other sources.
    ///
    /// Caches and shared work identify the image by the model, whatever source it is loaded from.
    ///
    /// - Parameter source: Returns the source of a model's image; `nil` leaves the model to a ``loader(_:)``. Called on
    ///   the caller's thread for every request of such a model, including memory hits, so it must be fast.
    public static func mapper(_ source: @escaping @Sendable (Self) -> ImageSource?) -> any RequestInterceptor {
        ModelMapper(source: source)
    }

    /// Returns a loader of the images of models of this type.
    ///
    /// An error of the closure that is no ``TintypeError`` becomes ``TintypeError/Code/transport``.
    ///
    /// - Parameter load: Returns the bytes, or the decoded image (``LoadedBytes/init(decoded:origin:data:)``), of a
    ///   model.
    public static func loader(
        _ load: @escaping @Sendable (Self, LoadContext) async throws -> LoadedBytes
    ) -> any ImageLoader {
        ModelLoader(loadModel: load)
    }
}

/// See ``ImageModel/mapper(_:)``.
private struct ModelMapper<Model: ImageModel>: RequestInterceptor {
    let source: @Sendable (Model) -> ImageSource?

    func intercept(_ request: ImageRequest) -> ImageRequest {
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

/// See ``ImageModel/loader(_:)``.
private struct ModelLoader<Model: ImageModel>: ImageLoader {
    let loadModel: @Sendable (Model, LoadContext) async throws -> LoadedBytes

    func canLoad(_ source: ImageSource) -> Bool {
        if case .custom(let model) = source { model is Model } else { false }
    }

    @concurrent
    func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
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
