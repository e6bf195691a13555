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
        "6 downloads at once": "DefaultsTests.limitsAndOrder",
        "first in, first out": "DefaultsTests.limitsAndOrder",
        "15 s without progress": "DefaultsTests.timesAndRetries",
        "status 200 to 299": "DefaultsTests.answers",
        "`Accept: image/*,*/*;q=0.8`": "DefaultsTests.requests",
        "redirects: the system's limit": "DefaultsTests.answers",
        "a response of any size": "ImagePipelineTests.bytesBeyondTheLimitAreRefused",
        "an image of any size": "DecodeLimitsTests.hugeImagesAreRefusedByTheirRatio",
        "memory without limit": "MemoryCacheTests.theStandardLimitsAreAFractionOfTheMemory",
        "no limit on the number of images in memory": "MappingRuleTests.memoryHasNoLimitOnTheNumberOfImages",
        "disk without limit": "DiskLimitTests.theDefaultsAreFinite",
        "7 days since the last use": "DiskCacheTests.anEntryUnusedForAWeekIsRemovedByTheNextWrite",
        "`Caches/com.hackemist.SDImageCache/default`": "CacheTests.theStandardDirectoryFollowsXDG",
        "renditions: all caches": "DefaultsTests.theRenditionIsCachedInBothTiersAndTheOriginalOnDisk",
        "originals: disk only": "DefaultsTests.theRenditionIsCachedInBothTiersAndTheOriginalOnDisk",
        "a cached image is used until it is dropped": "MappingRuleTests.aCachedImageIsUsedUntilItIsDropped",
        "failures are remembered forever": "FailureTableTests.aFailureIsRememberedUntilItExpires",
        "no previews": "DefaultsTests.failuresAreRespectedAndPreviewsOff",
        "whole size, all frames, standard range": "DefaultsTests.imagesAreDecodedInFullInStandardRange",
        "decoded in advance only if drawing would be slow otherwise":
            "ContextTests.imageForceDecodePolicyPreparesOnlyIfRequested",
        "animated and vector images are not transformed": "DefaultsTests.transformsSkipAnimatedAndVectorImages",
        "stored form: the image's own format, otherwise PNG with alph":
            "ContextTests.imageEncodeOptionsAndCacheSerializerDefineTheStoredFormat",
        "completion before the disk has it": "DefaultsTests.completionDoesNotWaitForTheDisk",
        "3 prefetched at once": "DefaultsTests.threeImagesArePrefetchedConcurrently",
        "prefetched with low priority": "PrefetcherTests.prefetchingHasTheLowestPriority",
        "transitions of 0.5 s, unless the image was in memory":
            "DefaultsTests.transitionsLastHalfASecondAndSkipMemoryHits",
        "a view's new load cancels the old one": "ViewRuleTests.aNewURLCancelsTheOldLoad",
    ]

    static let defectsLimits: [String: String] = [
        "the documentation accepts statuses 200 to 400, the code 200": "ResponseTests.acceptableStatusesCanBeSet",
        "documentation of cache settings disagrees with the code": "DiskLimitTests.theDefaultsAreFinite",
        "a second request for a URL loses its fields, priority and pr":
            "DownloadTests.differentRequestsDoNotShareATransfer",
        "a transfer occupies its slot of the download queue while its":
            "DownloadTests.aTransferFreesItsSlotBeforeItsImageIsDecoded",
        "operations are searched in lists; LIFO is quadratic":
            "PriorityQueueTests.randomOperationsAgreeWithASortedList",
        "the disk limit is enforced only when the program ends or goe":
            "DiskCacheTests.theSizeLimitEvictsTheLeastRecentlyUsedEntries",
        "one serial queue reads, decodes and writes": "WorkQueueTests.bothStepsRunOnOneThreadIfTheSecondQueueHasRoom",
        "the key of a filter lacks its parameters": "ResizeTransformerTests.theIdentifierContainsEveryParameter",
        "limit, HDR, first frame and scale are not in the key": "CacheKeyTests.settingsThatChangePixelsAreInTheKey",
        "failed URLs accumulate and are never forgotten": "ManagerRuleTests.theFailureMemoryIsBounded",
        "loops are counted wrongly when playing backwards": "AnimationPlayerTests.everyModeShowsItsLoopsAndEnds",
        "frames are evicted by a guess at the index": "FrameBufferTests.theNextFramesAreWorthHolding",
        "a refresh relies on NSURLCache": "RevalidationTests.aConfirmedEntryIsTheResultAndItsMetadataIsRenewed",
        "no retry, resumption, rate limit, redirect hook, or timeout": "RetryTests.aFailureIsRetriedUntilItSucceeds",
        "no limit on the size of a response": "ImagePipelineTests.bytesBeyondTheLimitAreRefused",
        "progressive decoding starts again each time, and drops updat":
            "IncrementalFormatTests.aPreviewShowsMoreThanThePreviousOne",
        "cancelling a query calls the completion block before `cancel":
            "ManagerRuleTests.aCancelledLoadEndsOnceWithError2002AndIsNotRemembered",
        "completion may come more than once": "ManagerRuleTests.theCallbackFormEndsOnceOnTheMainActor",
        "thumbnails and limits only after the whole download": "BombTests.knownBombsAreRefusedBeforeAnyPixelIsDecoded",
        "bad bytes stay in the disk cache": "DiskCacheTests.everySingleByteChangeIsAMiss",
    ]
}
