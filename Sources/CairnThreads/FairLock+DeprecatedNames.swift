extension FairLock {
    /// The old name of ``release()``.
    @available(*, deprecated, renamed: "release()")
    public func give() { release() }
}
