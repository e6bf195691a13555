import TintypeCore
import TintypeTerminal
import TintypeViews

/// The symbols of TintypeTerminal that `Views.md` names. Each has an expression that compiles only if the
/// symbol exists; `MappedViewTests` reads this file.
@MainActor private let mappedSymbols: [String: Any] = [
    "Presentation.WhileLoading.placeholder": Presentation.WhileLoading.placeholder,
    "TerminalImageView": TerminalImageView.self,
    "TerminalImageView.binding": { @MainActor (view: TerminalImageView) in view.binding },
    "TerminalImageView.load(_:presentation:receive:)": { @MainActor (view: TerminalImageView, request: ImageRequest) in
        view.load(request, presentation: Presentation(), receive: nil)
    },
]
