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
            "PrefetchProgress.finishedCount": \PrefetchProgress.finishedCount,
            "PrefetchProgress.isComplete": \PrefetchProgress.isComplete,
            "PrefetchProgress.skipped": \PrefetchProgress.skipped,
        ]
    }

    /// Displays, bindings and presentations.
    static var views: [String: Any] {
        [
            "ImageContent": ImageContent.self, "ImageSlots": ImageSlots<Int>.self,
            "ContentPlayer": ContentPlayer.self,
            "LoadIndicator.delayed(by:minimum:timer:)":
                { @MainActor (indicator: any LoadIndicator) in indicator.delayed() },
            "ContentPlayer.allowsMotion": { @MainActor (player: ContentPlayer) in player.allowsMotion },
            "ImageBinding.activity": { @MainActor (binding: ImageBinding) in binding.activity },
            "ImageBinding.begin()": { @MainActor (binding: ImageBinding) in binding.begin() },
            "ImageBinding.failure": { @MainActor (binding: ImageBinding) in binding.failure },
            "ImageBinding.isVisible": { @MainActor (binding: ImageBinding) in binding.isVisible },
            "ImageBinding.refit()": { @MainActor (binding: ImageBinding) in binding.refit() },
            "ImageBinding.retry(receive:)": { @MainActor (binding: ImageBinding) in binding.retry(receive: nil) },
            "ImageSlots.subscript(_:)": { @MainActor (slots: ImageSlots<Int>) in slots[0] },
            "ImageEvent.info(_:)": ImageEvent.info, "LoadPolicy.delivery.header": \LoadPolicy.delivery.header,
            "LoadProgress.fraction": \LoadProgress.fraction, "LoadProgress.isComplete": \LoadProgress.isComplete,
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
            "ImageDisplay.expect(_:)": { @MainActor (display: any ImageDisplay) in display.expect(nil) },
            "ImageDisplay.fit": { @MainActor (display: any ImageDisplay) in display.fit },
            "ImageDisplay.show(_:)": { @MainActor (display: any ImageDisplay) in display.show(.nothing) },
            "ImageDisplay.show(with:)": { @MainActor (display: any ImageDisplay, transition: RunningTransition) in
                display.show(with: transition)
            },
            "ImageDisplay.wantedSize": { @MainActor (display: any ImageDisplay) in display.wantedSize },
            "LoadIndicator.update(_:)":
                { @MainActor (indicator: any LoadIndicator) in indicator.update(LoadProgress()) },
            "Presentation.expectedSize": \Presentation.expectedSize, "Presentation.start": \Presentation.start,
            "Presentation.whenHidden": \Presentation.whenHidden,
            "Presentation.Start.deferred": Presentation.Start.deferred,
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
        ]
    }

    /// Transitions.
    static var transitions: [String: Any] {
        [
            "CustomTransition": CustomTransition.self, "RunningTransition": RunningTransition.self,
            "TransitionFrame": TransitionFrame.self, "ImageTransition.Easing": ImageTransition.Easing.self,
            "CustomTransition.init(name:prepare:animate:complete:)":
                CustomTransition.init(name:prepare:animate:complete:),
            "RunningTransition.frame(at:)": { @MainActor (transition: RunningTransition) in transition.frame(at: .zero)
            },
            "ImageTransition.easing": \ImageTransition.easing,
            "ImageTransition.Kind.custom(_:)": ImageTransition.Kind.custom,
            "ImageTransition.Kind.flipFromBottom": ImageTransition.Kind.flipFromBottom,
            "ImageTransition.Kind.flipFromLeft": ImageTransition.Kind.flipFromLeft,
            "ImageTransition.Kind.flipFromRight": ImageTransition.Kind.flipFromRight,
            "ImageTransition.Kind.flipFromTop": ImageTransition.Kind.flipFromTop,
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
