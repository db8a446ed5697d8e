/// What engines ask of the options in an ``OpenRequest``.
extension [StoreOption: MetadataValue] {
    /// Checks that an engine knows all of the options.
    ///
    /// - Parameters:
    ///   - known: the options in the engine's ``StoreCapabilities``.
    ///   - engine: names the kind of store in errors, such as “a log store”.
    /// - Throws: `.invalidOption`, for the first unknown option by name.
    public func requireKnown(
        _ known: Set<StoreOption>, by engine: String
    ) throws(StoreError) {
        let unknown = keys.filter { !known.contains($0) }.min { $0.rawValue < $1.rawValue }
        if let unknown {
            throw .invalidOption(unknown, detail: "\(engine) has no such option")
        }
    }

    /// Returns the option `timeout`: how long a save waits for others. 5 seconds if it is not given.
    ///
    /// - Throws: `.invalidOption` for a value that is not a number of seconds from 0 to 31536000, a
    ///   year: longer waits do not fit every clock.
    public func timeout() throws(StoreError) -> Duration {
        let seconds: Double =
            switch self[.timeout] {
            case nil: 5
            case .integer(let value): Double(value)
            case .real(let value): value
            default: .nan
            }
        guard seconds >= 0, seconds <= 31_536_000 else {
            throw .invalidOption(
                .timeout, detail: "it is a number of seconds from 0 to 31536000")
        }
        return .seconds(seconds)
    }
}
