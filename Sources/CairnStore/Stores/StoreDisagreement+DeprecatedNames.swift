extension StoreDisagreement {
    /// The old name of ``location``.
    @available(*, deprecated, renamed: "location")
    public var place: String {
        get { location }
        set { location = newValue }
    }
}
