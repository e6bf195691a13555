import Foundation
import Tintype

extension MappingSymbols {
    /// Prefetching.
    static var prefetching: [String: Any] {
        [
            "ImagePrefetcher": ImagePrefetcher.self, "PrefetchBatch": PrefetchBatch.self,
            "ImagePrefetcher.cancel(_:)": ImagePrefetcher.cancel(_:),
            "ImagePrefetcher.cancelAll()": ImagePrefetcher.cancelAll,
            "ImagePrefetcher.init(_:settings:)": ImagePrefetcher.init(_:settings:),
            "ImagePrefetcher.isPaused": \ImagePrefetcher.isPaused,
            "ImagePrefetcher.pipeline": \ImagePrefetcher.pipeline,
            "ImagePrefetcher.prefetch(_:)":
                { (prefetcher: ImagePrefetcher, requests: [ImageRequest]) in prefetcher.prefetch(requests) },
            "ImagePrefetcher.prefetch(_:as:)":
                { (prefetcher: ImagePrefetcher, urls: [URL]) in prefetcher.prefetch(urls, as: nil) },
            "PrefetchSettings.concurrency": \PrefetchSettings.concurrency,
            "PrefetchSettings.destination": \PrefetchSettings.destination,
            "PrefetchSettings.priority": \PrefetchSettings.priority,
            "PrefetchSettings.Destination.disk": PrefetchSettings.Destination.disk,
            "PrefetchBatch.cancel()": PrefetchBatch.cancel, "PrefetchBatch.progress": \PrefetchBatch.progress,
            "PrefetchBatch.updates": \PrefetchBatch.updates,
            "PrefetchBatch.wait()": { (batch: PrefetchBatch) async in await batch.wait() },
            "PrefetchProgress.finished": \PrefetchProgress.finished,
            "PrefetchProgress.isComplete": \PrefetchProgress.isComplete,
            "PrefetchProgress.skipped": \PrefetchProgress.skipped,
        ]
    }

    /// Displays, bindings and transitions.
    static var views: [String: Any] {
        [
            "ImageBinding": ImageBinding.self, "ImageDisplay": (any ImageDisplay).self,
            "LoadIndicator": (any LoadIndicator).self, "Presentation": Presentation.self,
            "ImageTransition": ImageTransition.self,
            "ImageBinding.cancel()": { @MainActor (binding: ImageBinding) in binding.cancel() },
            "ImageBinding.indicator": { @MainActor (binding: ImageBinding) in binding.indicator },
            "ImageBinding.clear(presentation:receive:)":
                { @MainActor (binding: ImageBinding) in binding.clear(presentation: Presentation(), receive: nil) },
            "ImageBinding.load(_:presentation:receive:)": { @MainActor (binding: ImageBinding, request: ImageRequest) in
                binding.load(request, presentation: Presentation(), receive: nil)
            },
            "ImageBinding.pipeline": { @MainActor (binding: ImageBinding) in binding.pipeline },
            "ImageBinding.progress": { @MainActor (binding: ImageBinding) in binding.progress },
            "ImageBinding.request": { @MainActor (binding: ImageBinding) in binding.request },
            "ImageBinding.task": { @MainActor (binding: ImageBinding) in binding.task },
            "ImageDisplay.scale": { @MainActor (display: any ImageDisplay) in display.scale },
            "ImageDisplay.show(_:)": { @MainActor (display: any ImageDisplay, image: Image) in display.show(image) },
            "ImageDisplay.show(_:with:whenDone:)": { @MainActor (display: any ImageDisplay, image: Image) in
                display.show(image, with: .fade, whenDone: {})
            },
            "ImageDisplay.showNothing()": { @MainActor (display: any ImageDisplay) in display.showNothing() },
            "ImageDisplay.wantedSize": { @MainActor (display: any ImageDisplay) in display.wantedSize },
            "LoadIndicator.update(_:)":
                { @MainActor (indicator: any LoadIndicator) in indicator.update(LoadProgress()) },
            "Presentation.completion": \Presentation.completion, "Presentation.delivery": \Presentation.delivery,
            "Presentation.failureImage": \Presentation.failureImage,
            "Presentation.replacement": \Presentation.replacement, "Presentation.sizing": \Presentation.sizing,
            "Presentation.transition": \Presentation.transition,
            "Presentation.whileLoading": \Presentation.whileLoading,
            "Presentation.Completion.afterTransition": Presentation.Completion.afterTransition,
            "Presentation.Delivery.manual": Presentation.Delivery.manual,
            "Presentation.Replacement.besideFormer": Presentation.Replacement.besideFormer,
            "Presentation.Replacement.cancelsFormer": Presentation.Replacement.cancelsFormer,
            "Presentation.Sizing.fitsDisplay": Presentation.Sizing.fitsDisplay,
            "Presentation.WhileLoading.placeholder": Presentation.WhileLoading.placeholder,
            "ImageTransition.duration": \ImageTransition.duration, "ImageTransition.fade": ImageTransition.fade,
            "ImageTransition.when": \ImageTransition.when, "ImageTransition.Kind.fade": ImageTransition.Kind.fade,
            "ImageTransition.Kind.slideFromBottom": ImageTransition.Kind.slideFromBottom,
            "ImageTransition.Kind.slideFromLeft": ImageTransition.Kind.slideFromLeft,
            "ImageTransition.Kind.slideFromRight": ImageTransition.Kind.slideFromRight,
            "ImageTransition.Kind.slideFromTop": ImageTransition.Kind.slideFromTop,
            "ImageTransition.When.always": ImageTransition.When.always,
            "ImageTransition.When.waitedFor": ImageTransition.When.waitedFor,
        ]
    }
}
