extension StoreCopyDecision {
    /// The old name of ``proceed``.
    @available(*, deprecated, renamed: "proceed")
    public static var goOn: Self { .proceed }
}
