extension MappingEvidence {
    static let views: [String: String] = [
        "`sd_setImageWithURL:…`": "ViewRuleTests.aMemoryHitIsSetInTheSameCallWithoutAFlash",
        "`sd_cancelCurrentImageLoad`": "ViewRuleTests.cancelCurrentImageLoadKeepsTheShownImage",
        "`sd_imageURL`": "ViewRuleTests.imageURLProgressAndIndicator",
        "`sd_imageProgress`": "ViewCategoryTests.progressEndsAtOneForALoadedImage",
        "`sd_latestOperationKey`, `sd_imageLoadOperationForKey:`": "ViewCategoryTests.aCancelledViewHasNoLoad",
        "`setImageBlock`": "ViewCategoryTests.anyViewIsToldWhatIsThePlaceholderAndWhatTheImage",
        "placeholder": "ViewRuleTests.thePlaceholderIsShownThenTheImage",
        "a new URL cancels the old load": "ViewRuleTests.aNewURLCancelsTheOldLoad",
        "`UIImageView`, `NSImageView`": "ViewCategoryTests.anImageViewShowsTheImageOfItsRequest",
        "highlighted image": "ViewCategoryTests.everySlotOfAViewShowsItsImage",
        "`UIButton`, `NSButton`: image, background, alternate, by sta":
            "ViewCategoryTests.everySlotOfAViewShowsItsImage",
        "`SDAnimatedImageView`": "ViewCategoryTests.anAnimationPlaysInItsView",
        "`sd_imageIndicator`": "ViewCategoryTests.theIndicatorShowsTheProgressAndEndsAtOne",
        "`SDWebImageActivityIndicator`, `SDWebImageProgressIndicator`": "IndicatorDelayTests.aShortLoadIsNotIndicated",
        "`sd_imageTransition`": "ViewRuleTests.anImageThatWasLoadedHasItsTransition",
        "`fadeTransition`": "TransitionTests.theOldImageFadesOutOnlyIfTheNewOneDoesNotHideIt",
        "`flipFromLeftTransition`, `flipFromRightTransition`": "TransitionTests.flipsShowTheNewImageInTheirSecondHalf",
        "`flipFromTopTransition`, `flipFromBottomTransition`": "TransitionTests.flipsShowTheNewImageInTheirSecondHalf",
        "`curlUpTransition`, `curlDownTransition`": "CurlTests.aCurlLeadsFromOneImageToTheOther",
        "slides, which SDWebImage does not have": "TransitionTests.slidesComeFromTheirSide",
        "`duration`": "DefaultsTests.transitionsLastHalfASecondAndSkipMemoryHits",
        "`timingFunction`, `animationOptions`": "TransitionTests.easingsLeadFromStartToEndWithoutTurningBack",
        "`prepares`, `animations`, `completion`": "TransitionTests.aCustomTransitionIsPreparedAnimatedAndCompleted",
        "drawing a transition": "TransitionTests.everyStandardTransitionLeadsFromTheOldImageToTheNew",
        "`avoidAutoSetImage` of a transition": "ViewRuleTests.avoidAutoSetImageLeavesShowingToTheCaller",
        "thumbnails of the view's size, by hand": "RetryTests.aDisplayThatHasGrownGetsMorePixels",
        "the size of an image is known with the image": "ExpectedSizeTests.theHeaderIsKnownBeforeTheRestHasArrived",
        "loads start when they are requested": "DeferredLoadTests.aDeferredLoadShowsItsPlaceholderAndLoadsLater",
        "hidden views continue to load": "DeferredLoadTests.aHiddenLoadPausesAfterTheGracePeriodAndGoesOnWhenShown",
        "a failure can only be requested again": "RetryTests.aRetryIgnoresThatTheSourceIsRememberedAsFailed",
        "`NSTextAttachment`, SwiftUI: by plug-ins":
            "ViewCategoryTests.anyViewIsToldWhatIsThePlaceholderAndWhatTheImage",
    ]

    static let errors: [String: String] = [
        "`SDWebImageErrorInvalidURL` (1000)": "ImageLoaderChainTests.aSourceWithoutALoaderIsInvalid",
        "`SDWebImageErrorBadImageData` (1001)": "ImagePipelineTests.emptyBytesAndBytesThatAreNotAnImageAreNotStored",
        "`SDWebImageErrorCacheNotModified` (1002)": "CachingTests.a304IsTheStoredImageWithRenewedMetadata",
        "`SDWebImageErrorBlackListed` (1003)": "OptionsTests.retryFailedLoadsAgainAndASuccessClearsTheFailure",
        "`SDWebImageErrorInvalidDownloadOperation` (2000)":
            "InterceptorTests.aRequestModifierThatReturnsNilRefusesTheRequest",
        "`SDWebImageErrorInvalidDownloadStatusCode` (2001)": "DownloaderTests.anErrorStatusIsAnError",
        "`SDWebImageErrorCancelled` (2002)": "ManagerRuleTests.aCancelledLoadEndsOnceWithError2002AndIsNotRemembered",
        "`SDWebImageErrorInvalidDownloadResponse` (2003)":
            "InterceptorTests.aResponseModifierThatReturnsNilRefusesTheResponse",
        "`SDWebImageErrorInvalidDownloadContentType` (2004)": "ResponseTests.theErrorOfABadContentTypeCarriesTheType",
        "`SDWebImageErrorDownloadStatusCodeKey`": "DownloaderTests.anErrorStatusIsAnError",
        "`SDWebImageErrorDownloadContentTypeKey`": "ResponseTests.theErrorOfABadContentTypeCarriesTheType",
        "`SDWebImageErrorDownloadResponseKey`": "ResponseTests.aResponseCarriesItsFinalURLStatusAndFields",
        "`NSUnderlyingErrorKey`": "TransformerContractTests.aClosuresErrorIsTheUnderlyingError",
        "errors of `NSURLErrorDomain`": "MappingRuleTests.allErrorsOfTheTransportHaveACode",
        "no image and no error": "MappingRuleTests.whatSDWebImageLeavesWithoutAnErrorHasOne",
        "a file that cannot be read or written": "ConvertTests.aFailureIsOneLineAndLeavesNoFile",
        "an image or body that is too large": "ImagePipelineTests.bytesBeyondTheLimitAreRefused",
        "a transformer, an encoder or a frame that fails":
            "TransformerContractTests.aClosuresErrorIsTheUnderlyingError",
        "the error message": "PrintableTextTests.anErrorIsOneShortPrintableLine",
        "a failed refresh": "RevalidationTests.aFailedRevalidationDeliversTheCachedImage",
    ]

    static let notifications: [String: String] = [
        "adding an observer": "ObserverTests.everyStageOfALoadIsObservedInOrder",
        "`SDWebImageDownloadStartNotification`": "ObserverTests.theNotificationsOfADownloadHaveCounterparts",
        "`SDWebImageDownloadReceiveResponseNotification`": "MappingRuleTests.aResponseBeginsWithItsExpectedSize",
        "`SDWebImageDownloadStopNotification`": "ObserverTests.theNotificationsOfADownloadHaveCounterparts",
        "`SDWebImageDownloadFinishNotification`": "ObserverTests.everyStageOfALoadIsObservedInOrder",
        "their object: the operation": "ObserverTests.sharedWorkIsObservedOnceAndEveryLoadToo",
        "not available": "ObserverTests.evictionsAreObserved",
    ]

    static let defaults: [String: String] = [
        "redirects: the system's limit": "DefaultsTests.answers",
        "a response of any size": "ImagePipelineTests.bytesBeyondTheLimitAreRefused",
        "an image of any size": "DecodeLimitsTests.hugeImagesAreRefusedByTheirRatio",
        "memory without limit": "MemoryCacheTests.theStandardLimitsAreAFractionOfTheMemory",
        "disk without limit": "DiskLimitTests.theDefaultsAreFinite",
        "`Caches/com.hackemist.SDImageCache/default`": "CacheTests.theStandardDirectoryFollowsXDG",
        "failures are remembered forever": "FailureTableTests.aFailureIsRememberedUntilItExpires",
        "decoded in advance only if drawing would be slow otherwise":
            "ContextTests.imageForceDecodePolicyPreparesOnlyIfRequested",
        "stored form: the image's own format, otherwise PNG with alph":
            "ContextTests.imageEncodeOptionsAndCacheSerializerDefineTheStoredFormat",
        "prefetched with low priority": "PrefetcherTests.prefetchingHasTheLowestPriority",
    ]
}
