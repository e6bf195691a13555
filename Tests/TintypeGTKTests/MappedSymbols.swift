#if GTK
import Foundation
import Tintype
import TintypeGTK

/// The symbols of TintypeGTK that `Views.md` names. Each has an expression that compiles only if the symbol
/// exists; `MappedViewTests` reads this file.
@MainActor private let mappedSymbols: [String: Any] = [
    "ContentFit": ContentFit.self, "ImageCell": ImageCell.self, "ImageListFactory": ImageListFactory.self,
    "ImagePaintable": ImagePaintable.self, "ImageSlot": ImageSlot.self, "ImageSlot.State": ImageSlot.State.self,
    "ImageView": ImageView.self, "MotionPolicy": MotionPolicy.self,
    "ImagePaintable.binding": { @MainActor (paintable: ImagePaintable) in paintable.binding },
    "ImagePaintable.clear()": { @MainActor (paintable: ImagePaintable) in paintable.clear() },
    "ImagePaintable.load(_:)": { @MainActor (paintable: ImagePaintable, url: URL) in paintable.load(url) },
    "ImageSlot.background": ImageSlot.background, "ImageSlot.highlighted": ImageSlot.highlighted,
    "ImageView.binding(_:)": { @MainActor (view: ImageView) in view.binding(.image) },
    "ImageView.clear(_:)": { @MainActor (view: ImageView) in view.clear(.image) },
    "ImageView.contentFit": { @MainActor (view: ImageView) in view.contentFit },
    "ImageView.load(_:in:)": { @MainActor (view: ImageView, url: URL) in view.load(url, in: .image) },
    "ImageView.load(_:in:presentation:receive:)": { @MainActor (view: ImageView, request: ImageRequest) in
        view.load(request, in: .image, presentation: nil, receive: nil)
    },
    "ImageView.presentation": { @MainActor (view: ImageView) in view.presentation },
    "ImageView.retriesOnActivation": { @MainActor (view: ImageView) in view.retriesOnActivation },
    "Presentation.WhileLoading.blurHash(_:aspectRatio:)": Presentation.WhileLoading.blurHash(_:aspectRatio:),
    "Presentation.WhileLoading.thumbHash(_:)": Presentation.WhileLoading.thumbHash(_:),
    "ViewIndicator.progressBar": ViewIndicator.progressBar, "ViewIndicator.spinner": ViewIndicator.spinner,
]
#endif
