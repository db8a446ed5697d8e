import CairnStore

/// The options of every store that is in memory or written as a whole.
///
/// - `timeout`: the number of seconds, from 0 on, that a save waits while others save. The default
///   is 5.
package struct AtomicOptions: Sendable {
    package static let all: Set<StoreOption> = [.timeout]

    package let busyTimeout: Duration

    /// - Parameters:
    ///   - options: the options of the request.
    ///   - engine: names the kind of store in errors, such as “an in-memory store”.
    /// - Throws: `.invalidOption`.
    package init(_ options: StoreOptions, of engine: String) throws(StoreError) {
        try options.requireKnown(Self.all, by: engine)
        busyTimeout = try options.timeout()
    }
}
