extension ConformanceRule {
    /// The old name of ``alternativePromise``.
    @available(*, deprecated, renamed: "alternativePromise")
    public var twinWords: String? { alternativePromise }
}
