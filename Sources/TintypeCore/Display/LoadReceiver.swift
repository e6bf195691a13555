/// The receiver of one load of a binding. It gets the end exactly once, however the load ends.
@MainActor final class LoadReceiver {
    private var receive: ImageBinding.Receiver?
    private var result: Result<ImageResponse, TintypeError> = .failure(.cancelled)

    /// - Returns: `nil` if there is nothing to call.
    init?(_ receive: ImageBinding.Receiver?) {
        guard let receive else { return nil }
        self.receive = receive
    }

    /// Passes on an event that is not the end.
    func callAsFunction(_ event: ImageEvent) { receive?(event) }

    /// Sets the result to report at the end. Before, it is the cancellation of the load.
    func settle(_ result: Result<ImageResponse, TintypeError>) { self.result = result }

    /// Reports the end, unless that has been done.
    func end() {
        let receive = receive
        self.receive = nil
        receive?(.finished(result))
    }

    deinit {
        // The binding was released. Not called here, because a receiver may use what is being deallocated.
        guard let receive else { return }
        Task { @MainActor [result] in receive(.finished(result)) }
    }
}
