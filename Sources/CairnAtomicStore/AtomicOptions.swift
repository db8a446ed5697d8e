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
        for option in options.keys.sorted(by: { $0.rawValue < $1.rawValue })
        where !Self.all.contains(option) {
            throw .invalidOption(option, detail: "\(engine) has no such option")
        }
        let seconds: Double =
            switch options[StoreOption.timeout] {
            case nil: 5
            case .integer(let value): Double(value)
            case .real(let value): value
            default: .nan
            }
        // A year is as good as for ever, and fits a clock.
        guard seconds >= 0, seconds <= 31_536_000 else {
            throw .invalidOption(
                .timeout, detail: "it is a number of seconds from 0 to 31536000")
        }
        busyTimeout = .seconds(seconds)
    }
}
