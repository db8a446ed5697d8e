import CairnStore

/// The settings that every store in memory or in one whole file takes.
///
/// - `timeout`: seconds that a save waits while others save; a number from 0. Default: 5.
package struct AtomicOptions: Sendable {
    package static let all: Set<StoreOption> = [.timeout]

    package let busyTimeout: Duration

    /// - Parameter engine: names the kind of store in errors: “an in-memory store”.
    /// - Throws: `.invalidOption`.
    package init(_ options: StoreOptions, of engine: String) throws(StoreError) {
        try options.requireKnown(Self.all, by: engine)
        busyTimeout = try options.timeout()
    }
}
