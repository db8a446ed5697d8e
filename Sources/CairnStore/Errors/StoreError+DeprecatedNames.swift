extension StoreError {
    /// The old name of ``corrupt(_:location:detail:)``.
    @available(*, deprecated, renamed: "corrupt(_:location:detail:)")
    public static func corrupt(_ store: StoreLocation, place: String, detail: String) -> Self {
        .corrupt(store, location: place, detail: detail)
    }
}
